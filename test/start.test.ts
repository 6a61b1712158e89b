// Runs in test:all only: it starts the whole product again and again.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { compileCache } from './support/compile-cache.ts'
import './support/patience.ts'

/** Far more than a busy machine needs: a line that is missing must not stop the whole run. */
const printWithinMs = 200_000
const program = fileURLToPath(new URL('../start.ts', import.meta.url))

type Started = {
  child: ChildProcess
  output: () => string
  /** Resolves to the match once `pattern` has been printed after `from` characters of output; rejects when it never is. */
  printed: (pattern: RegExp, from?: number) => Promise<RegExpExecArray>
}

function npmStart(t: Tap, env: Record<string, string>): Started {
  const child = spawn(process.execPath, [program], {
    env: {
      PATH: process.env['PATH'],
      TMPDIR: process.env['TMPDIR'],
      PORT: '0',
      AGENT_HEALTH_PORT: '0',
      ...compileCache(),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  t.teardown(async () => {
    if (child.exitCode === null) child.kill('SIGTERM')
    await exited
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
  const printed = async (pattern: RegExp, from = 0) => {
    const signal = AbortSignal.timeout(printWithinMs)
    for (let isOver = false; ; ) {
      const match = pattern.exec(text.slice(from))
      if (match) return match
      if (isOver) throw new Error(`never printed ${pattern}:\n${text}`)
      const more = once(child.stdout, 'data', { signal }).then(
        () => false,
        () => true,
      )
      isOver = await Promise.race([more, exited.then(() => true)])
    }
  }
  return { child, output: () => text, printed }
}

type Tap = {
  teardown: (stop: () => Promise<void>) => void
  testdir: (files: Record<string, string>) => string
}

const checkOf = (url: string) => ({
  name: 'first',
  request: { url, assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }] },
  privateLocations: ['local'],
  locations: [],
  frequency: 0,
  frequencyOffset: 10,
})

t.test(
  'npm start brings up both programs, shows the first result, restarts what dies, and stops both',
  async (t) => {
    const dataDir = join(t.testdir({}), 'data')
    const { child, output, printed } = npmStart(t, { DATA_DIR: dataDir })
    const [, baseUrl = ''] = await printed(/API +(http:\/\/localhost:\d+)/)
    await printed(/a second one stops them at once/)

    const started = childPids(child.pid).map(startOf)
    t.match(
      started[0],
      /--max-semi-space-size=4\0.*control-plane\/main\.ts[\s\S]*\0MALLOC_ARENA_MAX=1\0MALLOC_TRIM_THRESHOLD_=131072\0MALLOC_MMAP_THRESHOLD_=131072\0/,
    )
    t.match(started[1], /--max-semi-space-size=2\0.*agent\/main\.ts[\s\S]*\0MALLOC_ARENA_MAX=2\0/)

    const bootstrap = join(dataDir, 'bootstrap.json')
    t.equal(statSync(bootstrap).mode & 0o777, 0o600, 'the key is readable by its owner only')
    const { apiKey, agentKey } = JSON.parse(readFileSync(bootstrap, 'utf8'))
    t.notMatch(output(), apiKey)
    t.notMatch(output(), agentKey)

    const create = () =>
      fetch(`${baseUrl}/v1/checks/url`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(checkOf(`${baseUrl}/health`)),
      })
    const created = await create()
    t.equal(created.status, 201, await created.text())
    await printed(/The first result has arrived/)

    const before = output().length
    process.kill(Number(childPids(child.pid).at(-1)), 'SIGKILL')
    await printed(/ended \(SIGKILL\); starting it again in 1 s/, before)

    child.kill('SIGINT')
    const [exitCode] = await once(child, 'exit')
    t.equal(exitCode, 0)
    t.match(output(), /SIGINT: stopping the agent, then the control plane/)
    await t.rejects(fetch(`${baseUrl}/health`), 'the control plane is gone')
  },
)

t.test('both programs end by themselves when npm start is killed', async (t) => {
  const { child, printed } = npmStart(t, { DATA_DIR: join(t.testdir({}), 'data') })
  const [, baseUrl = ''] = await printed(/API +(http:\/\/localhost:\d+)/)
  const [, agentPort = ''] = await printed(/probes and metrics on port (\d+)/)
  child.kill('SIGKILL')
  for (const url of [`${baseUrl}/health`, `http://127.0.0.1:${agentPort}/health`]) {
    const signal = AbortSignal.timeout(printWithinMs)
    const refused = async () => {
      for (;;) await (await fetch(url, { signal, headers: { connection: 'close' } })).text()
    }
    const error = await refused().catch((cause: unknown) => cause)
    t.notOk(signal.aborted, `${url} ended in time`)
    t.ok(error instanceof TypeError, 'the connection was refused or cut')
  }
})

/** The arguments and the environment of a process, each ended by NUL. */
const startOf = (pid: string): string =>
  ['cmdline', 'environ'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8')).join('\0')

/** The processes that `parent` started, in the order in which it did. */
function childPids(parent: number | undefined): string[] {
  return readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ')
}

for (const variable of ['PORT', 'AGENT_HEALTH_PORT'])
  t.test(`a port that is taken is one sentence that names ${variable}`, async (t) => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.teardown(async () => void server.close())
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const { child, output } = npmStart(t, { DATA_DIR: t.testdir({}), [variable]: String(port) })
    const [exitCode] = await once(child, 'close')
    t.equal(exitCode, 1)
    t.match(output(), new RegExp(`^port ${port} is in use: .*\\(${variable}=\\d+ npm start\\)\\.\n$`))
  })

t.test('an address that is not of this machine is blamed on the setting of the host', async (t) => {
  for (const variable of ['HOST', 'AGENT_HEALTH_HOST']) {
    const { child, output } = npmStart(t, { DATA_DIR: t.testdir({}), [variable]: '192.0.2.1' })
    const [exitCode] = await once(child, 'close')
    t.equal(exitCode, 1)
    t.match(output(), new RegExp(`^${variable}: cannot listen on 192\\.0\\.2\\.1: .*EADDRNOTAVAIL.*\n$`))
  }
})

t.test('every wrong setting of either program is named before anything starts', async (t) => {
  const wrong = {
    PORT: 'eighty',
    LOG_LEVEL: 'loud',
    DATABASE_ULR: 'sqlite:x',
    SPOOL_DRI: 'x',
    CAPTURE: 'always',
  }
  const { child, output } = npmStart(t, { DATA_DIR: t.testdir({}), ...wrong })
  const [exitCode] = await once(child, 'close')
  t.equal(exitCode, 1)
  t.match(output(), 'PORT must be')
  t.match(output(), 'LOG_LEVEL must be')
  t.match(output(), 'CAPTURE must be')
  t.match(output(), 'DATABASE_ULR is not known: did you mean DATABASE_URL?')
  t.match(output(), 'SPOOL_DRI is not known: did you mean SPOOL_DIR?')
  t.notMatch(output(), '    at ')
})
