/** A control plane that starts again after a crash is waited for: what few ask for is loaded when somebody does. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { compileCache } from '../support/compile-cache.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Prints the address of each module that is loaded after it. */
const hook = `import { registerHooks } from 'node:module'
import { writeSync } from 'node:fs'
registerHooks({ load: (url, context, next) => (writeSync(2, url + '\\n'), next(url, context)) })`

const loadedAtStart = async (): Promise<string[]> => {
  const hooked = `data:text/javascript,${encodeURIComponent(hook)}`
  const { stderr } = await promisify(execFile)(
    process.execPath,
    ['--import', hooked, 'control-plane/main.ts', '--help'],
    { cwd: root, env: { PATH: process.env['PATH'], ...compileCache() }, maxBuffer: 10_000_000 },
  )
  return stderr.split('\n')
}

t.test('a start loads no package that only few requests need', async (t) => {
  const loaded = await loadedAtStart()
  const packages = new Set(loaded.flatMap((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []))
  t.ok(packages.has('kysely'), 'what every start needs is seen')
  const forFew = [
    '@simplewebauthn/server',
    '@peculiar/asn1-x509',
    'nodemailer',
    'qrcode',
    '@opentelemetry/sdk-trace',
    '@aws-sdk/client-s3',
  ]
  t.strictSame(
    forFew.filter((name) => packages.has(name)),
    [],
  )
})
