/** A control plane that starts again after a crash is waited for: what few ask for is loaded when somebody does. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { compileCache } from '../support/compile-cache.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Writes down the address of each module that is loaded after it: in a file, since a pipe that is full takes nothing. */
const hook = `import { registerHooks } from 'node:module'
import { appendFileSync } from 'node:fs'
registerHooks({ load: (url, context, next) => (appendFileSync(process.env.LOADED, url + '\\n'), next(url, context)) })`

const loadedAtStart = async (t: Test): Promise<string[]> => {
  const LOADED = join(t.testdir({}), 'loaded')
  const hooked = `data:text/javascript,${encodeURIComponent(hook)}`
  await promisify(execFile)(process.execPath, ['--import', hooked, 'control-plane/main.ts', '--help'], {
    cwd: root,
    env: { PATH: process.env['PATH'], LOADED, ...compileCache() },
  })
  return readFileSync(LOADED, 'utf8').split('\n')
}

t.test('a start loads no package that only few requests need', async (t) => {
  const loaded = await loadedAtStart(t)
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
