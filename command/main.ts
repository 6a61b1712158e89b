/**
 * Checks as code: `npx watchpost plan`, `apply` and their like. A program of its own that speaks HTTP to any control plane
 * with a key; it needs nothing of the machine that one runs on. Like the other programs' main.ts it reads `process`; what a
 * command does is in commands/.
 */
import { appendFile, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { exportFiles } from './commands/export.ts'
import { importFiles } from './commands/import.ts'
import { apply, plan, validate } from './commands/plan-and-apply.ts'
import { run as runChecks } from './commands/run.ts'
import { schema } from './commands/schema.ts'
import { type Command, CommandError, exitCodes, type Io } from './io.ts'
import { generalHelp, helpOf, readOptions } from './line.ts'

const commands: readonly Command[] = [plan, apply, validate, exportFiles, importFiles, runChecks, schema]

const noneAs =
  <T>(value: T) =>
  (error: unknown): T => {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return value
    throw error
  }

const io: Io = {
  env: process.env,
  // npm runs programs in the folder of the package and says here where it was called.
  path: (path) => resolve(process.env['INIT_CWD'] ?? process.cwd(), path),
  readText: (path) => readFile(path, 'utf8'),
  kindOf: (path) => stat(path).then((found) => (found.isDirectory() ? 'folder' : 'file'), noneAs(null)),
  list: async (path) => (await readdir(path)).toSorted(),
  writeText: (path, text) => writeFile(path, text),
  appendText: (path, text) => appendFile(path, text),
  load: async (path) => (await import(pathToFileURL(path).href)).default,
  fetch: (url, init) => fetch(url, init),
  sleep: (ms) => new Promise((done) => setTimeout(done, ms)),
  now: () => performance.now(),
  say: (line) => process.stdout.write(`${line}\n`),
  progress: (line) => process.stderr.write(`watchpost: ${line}\n`),
}

const run = async ([name, ...words]: readonly string[]): Promise<number> => {
  const command = commands.find((one) => one.name === name)
  const wantsHelp = words.includes('--help') || words.includes('-h')
  if (command === undefined || wantsHelp) {
    for (const line of command === undefined ? generalHelp(commands) : helpOf(command)) io.say(line)
    return wantsHelp || name === '--help' ? exitCodes.done : exitCodes.failed
  }
  return command.run(io, readOptions(command, words))
}

const words = process.argv.slice(2)
try {
  process.exitCode = await run(words)
} catch (error) {
  const problems =
    error instanceof CommandError
      ? error.problems
      : [error instanceof Error ? String(error.stack) : String(error)]
  if (words.includes('--json')) io.say(JSON.stringify({ problems }, null, 2))
  for (const problem of problems) io.progress(problem)
  process.exitCode = exitCodes.failed
}
