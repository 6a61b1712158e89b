// Runs in test:all only: it starts the control plane again and again.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { controlPlaneVariables } from '../../control-plane/read-config.ts'
import { compileCache } from '../support/compile-cache.ts'
import '../support/patience.ts'
import { cannotBePowerless, powerless } from '../support/powerless.ts'

const program = fileURLToPath(new URL('../../control-plane/main.ts', import.meta.url))

type Command = { args?: string[]; before?: readonly string[] }

const start = (
  t: Test,
  env: Record<string, string>,
  { args = [], before = [] }: Command = {},
): ChildProcess => {
  const [file = '', ...rest] = [...before, process.execPath, program, ...args]
  const child = spawn(file, rest, {
    env: { PATH: process.env['PATH'], ...compileCache(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  return child
}

const ended = async (
  child: ChildProcess,
): Promise<{ code: number | null; stdout: string; stderr: string }> => {
  let [stdout, stderr] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

const dataFolder = async (t: Test): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'watchpost-test-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return folder
}

t.test('--help names every variable', async (t) => {
  const { code, stdout } = await ended(start(t, {}, { args: ['--help'] }))
  t.equal(code, 0)
  for (const { name } of controlPlaneVariables) t.match(stdout, name)
})

t.test('a wrong configuration and a port in use end the start with one message and a failure', async (t) => {
  const wrong = await ended(start(t, { PORT: 'x', LOG_LEVEL: 'loud', DATA_DIR: await dataFolder(t) }))
  t.equal(wrong.code, 1)
  t.match(wrong.stderr, /PORT must be.*\n.*LOG_LEVEL must be/)
  const other = createServer().listen(0, '127.0.0.1')
  t.teardown(() => other.close())
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  const taken = await ended(start(t, { PORT: String(port), DATA_DIR: await dataFolder(t) }))
  t.equal(taken.code, 1)
  t.match(taken.stderr, `PORT: 127.0.0.1:${port} is in use`)
  t.notMatch(taken.stderr, /\n +at /, 'no stack')
})

t.test('a HOST that does not exist is blamed on HOST alone', async (t) => {
  const env = { HOST: 'nohost.invalid', PORT: '0', DATA_DIR: await dataFolder(t) }
  const { code, stderr } = await ended(start(t, env))
  t.equal(code, 1)
  const [, problem = '', ...more] = stderr.trim().split('\n')
  t.match(problem, /^ {2}HOST: cannot listen on nohost\.invalid: .*(ENOTFOUND|EAI_AGAIN)/)
  t.strictSame(more, [], 'one problem, no stack')
})

t.test(
  'a DATA_DIR that this user may not write is one sentence',
  { skip: cannotBePowerless() },
  async (t) => {
    const dataDir = await dataFolder(t)
    await chmod(dataDir, 0o555)
    const { code, stdout, stderr } = await ended(
      start(t, { DATA_DIR: dataDir, PORT: '0' }, { before: powerless }),
    )
    t.strictSame([code, stdout], [1, ''])
    t.equal(
      stderr,
      `The configuration has problems:\n  DATA_DIR: ${dataDir} cannot be used: this user may not write there\n`,
    )
  },
)

t.test(
  'a secret in a file that this user may not read is one sentence, with whose it is',
  { skip: cannotBePowerless() },
  async (t) => {
    const dataDir = await dataFolder(t)
    const file = join(dataDir, 'key')
    await writeFile(file, 'secret', { mode: 0o000 })
    const env = { DATA_DIR: dataDir, PORT: '0', ENCRYPTION_KEY_FILE: file }
    const { code, stderr } = await ended(start(t, env, { before: powerless }))
    t.equal(code, 1)
    const { uid, gid } = await stat(file)
    t.equal(
      stderr,
      `The configuration has problems:\n  ENCRYPTION_KEY_FILE: ${file} may not be read by the user of this program: it is of user ${uid} and group ${gid}, mode 0000; chown or chmod changes that\n`,
    )
  },
)

t.test('it starts on an empty folder, serves, drains on SIGTERM and finds everything again', async (t) => {
  const dataDir = await dataFolder(t)
  const life = async (use: (url: string, key: string) => Promise<void>) => {
    const child = start(t, { PORT: '0', DATA_DIR: dataDir })
    const exit = once(child, 'exit')
    if (child.stdout === null) throw new Error('no output')
    for await (const line of createInterface({ input: child.stdout })) {
      const entry: { msg: string; port?: number } = JSON.parse(line)
      if (entry.port === undefined) continue
      const { apiKey } = JSON.parse(await readFile(join(dataDir, 'bootstrap.json'), 'utf8'))
      await use(`http://127.0.0.1:${entry.port}`, apiKey)
      break
    }
    child.kill('SIGTERM')
    t.strictSame(await exit, [0, null])
  }
  const headers = (key: string) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' })
  let id = ''
  await life(async (url, key) => {
    t.equal((await fetch(`${url}/-/readiness`)).status, 200)
    const metrics = await (await fetch(`${url}/metrics`)).text()
    for (const name of ['process_cpu_seconds_total', 'nodejs_eventloop_lag_seconds'])
      t.match(metrics, new RegExp(`^${name} [\\d.e-]+$`, 'm'))
    const created = await fetch(`${url}/v1/checks/url`, {
      method: 'POST',
      headers: headers(key),
      body: JSON.stringify({ name: 'kept', request: { url: 'https://example.com/' } }),
    })
    t.equal(created.status, 201)
    id = ((await created.json()) as { id: string }).id
  })
  await life(async (url, key) => {
    const read = await fetch(`${url}/v1/checks/${id}`, { headers: headers(key) })
    t.match(await read.json(), { id, name: 'kept' })
  })
  t.equal((await stat(join(dataDir, 'watchpost.db'))).mode & 0o077, 0, 'nobody else reads the store')
})
