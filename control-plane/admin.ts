/**
 * The operator's program: `npx watchpost <command>`, and `watchpost <command>` in the image. It works on the store
 * itself, with the environment of the control plane, whether that runs or not. Like main.ts it reads `process`; what a
 * command does is in admin/<command>.ts.
 */
import { runAdmin } from './run-admin.ts'

// The store, the keys and backups are nobody else's to read.
process.umask(0o077)
const { exitCode, stdout, stderr } = await runAdmin(process.argv.slice(2), {
  env: process.env,
  now: () => Date.now(),
  sleep: (ms) => new Promise((done) => setTimeout(done, ms)),
  progress: (line) => process.stderr.write(`${line}\n`),
  // npm runs programs in the folder of the package and says here where it was called.
  folder: process.env['INIT_CWD'] ?? process.cwd(),
})
process.stdout.write(stdout)
process.stderr.write(stderr)
process.exitCode = exitCode
