// Runs in test:all only: it starts the agent again and again.
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { agentVariables } from '../../agent/program/agent-variables.ts'
import { compileCache } from '../support/compile-cache.ts'
import { fakeControlPlane, urlJob } from '../support/fake-control-plane.ts'
import { cannotBePowerless, powerless } from '../support/powerless.ts'
import { closedPort, httpServer, tcpServer } from '../support/servers.ts'
import { temporaryFolder, testApiKey } from '../support/test-agent.ts'
import { until } from '../support/until.ts'

const program = fileURLToPath(new URL('../../agent/main.ts', import.meta.url))

type Ended = { code: number | null; signal: NodeJS.Signals | null; output: string }

const launch = (
  t: Test,
  env: Record<string, string>,
  args: string[] = [],
  before: readonly string[] = [],
): { child: ChildProcess; ended: Promise<Ended> } => {
  const [file = '', ...rest] = [...before, process.execPath, program, ...args]
  const child = spawn(file, rest, { env: { ...compileCache(), ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.on('data', (part) => {
    output += part
  })
  child.stderr.on('data', (part) => {
    output += part
  })
  t.teardown(() => child.kill('SIGKILL'))
  const ended = new Promise<Ended>((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal, output })),
  )
  return { child, ended }
}

const setUp = async (t: Test) => {
  const plane = await fakeControlPlane(t, { serverTime: Date.now, apiKey: testApiKey })
  const env = {
    CONTROL_PLANE_URL: plane.origin,
    API_KEY: testApiKey,
    AGENT_HEALTH_PORT: '0',
    SPOOL_DIR: temporaryFolder(t),
  }
  return { plane, env }
}

t.test('a wrong environment ends the start with every problem in one message', async (t) => {
  const { code, output } = await launch(t, { API_KEY: 'x', LOG_LEVEL: 'loud' }).ended
  t.equal(code, 1)
  for (const name of ['CONTROL_PLANE_URL', 'API_KEY', 'LOG_LEVEL']) t.match(output, name)
})

t.test('probes that cannot be served are blamed on the setting that is wrong', async (t) => {
  const { env } = await setUp(t)
  const wrongHost = await launch(t, { ...env, AGENT_HEALTH_HOST: '192.0.2.1' }).ended
  t.equal(wrongHost.code, 1)
  t.match(wrongHost.output, /^ {2}- AGENT_HEALTH_HOST: cannot listen on 192\.0\.2\.1: .*EADDRNOTAVAIL/m)
  const { port } = await tcpServer(t, (socket) => socket.end())
  const taken = { AGENT_HEALTH_HOST: '127.0.0.1', AGENT_HEALTH_PORT: String(port) }
  const wrongPort = await launch(t, { ...env, ...taken }).ended
  t.equal(wrongPort.code, 1)
  t.match(wrongPort.output, `  - AGENT_HEALTH_PORT: 127.0.0.1:${port} is in use\n`)
})

t.test('--help lists every variable', async (t) => {
  const { code, output } = await launch(t, {}, ['--help']).ended
  t.equal(code, 0)
  for (const { name } of agentVariables) t.match(output, name)
})

t.test(
  'a spool of another user is no reason to stop: probes say that nothing is durable, until it is',
  { skip: cannotBePowerless() },
  async (t) => {
    const { plane, env } = await setUp(t)
    const { uid, gid } = statSync(env.SPOOL_DIR)
    // As where a volume was written by the user of an image, and is used by another one of its group.
    if (uid === 0) chownSync(env.SPOOL_DIR, 10_001, gid)
    else chmodSync(env.SPOOL_DIR, 0o500)
    const port = await closedPort()
    const path = { PATH: process.env['PATH'] ?? '' }
    const child = launch(t, { ...env, ...path, AGENT_HEALTH_PORT: String(port) }, [], powerless).child
    const target = await httpServer(t, (_, response) => response.end('ok'))
    plane.offer(urlJob(target.origin))
    await plane.until(() => plane.reports.length === 1)
    const asked = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`)
      return { status: response.status, text: await response.text() }
    }
    const owner = statSync(env.SPOOL_DIR)
    const mode = (owner.mode & 0o7777).toString(8).padStart(4, '0')
    const words = `not durable: SPOOL_DIR: ${env.SPOOL_DIR} cannot be used (this user may not read or write there); it is of user ${owner.uid} and group ${gid}, mode ${mode}\n`
    t.strictSame(await asked('/-/readiness'), { status: 200, text: `ready\n${words}` })
    t.match((await asked('/health')).text, words)
    t.match((await asked('/metrics')).text, /^watchpost_agent_spool_durable 0$/m)
    chmodSync(env.SPOOL_DIR, 0o700)
    chownSync(env.SPOOL_DIR, uid, gid)
    plane.offer(urlJob(target.origin))
    await plane.until(() => plane.reports.length === 2)
    t.strictSame(await asked('/-/readiness'), { status: 200, text: 'ready\n' })
    t.match((await asked('/metrics')).text, /^watchpost_agent_spool_durable 1$/m)
    child.kill('SIGTERM')
  },
)

t.test('SIGTERM drains and exits with 0, and leaves the key out of the log', async (t) => {
  const { plane, env } = await setUp(t)
  const target = await httpServer(t, (_, response) => response.end('ok'))
  const { child, ended } = launch(t, env)
  plane.offer(urlJob(target.origin))
  await plane.until(() => plane.reports.length === 1)
  child.kill('SIGTERM')
  const { code, output } = await ended
  t.equal(code, 0)
  t.match(output, /drained/)
  t.notMatch(output, testApiKey)
})

t.test('what scripts of an agent that was killed left behind is removed by the next one', async (t) => {
  const { env } = await setUp(t)
  const place = temporaryFolder(t)
  const left = join(place, 'watchpost-script-left')
  mkdirSync(left)
  utimesSync(left, new Date(0), new Date(0))
  const { child, ended } = launch(t, { ...env, TMPDIR: place })
  await until('the end of what was left', () => !existsSync(left))
  child.kill('SIGTERM')
  t.equal((await ended).code, 0)
  t.same(readdirSync(place), [], 'nor did this one leave anything')
})

t.test('a second signal ends it at once', async (t) => {
  const { plane, env } = await setUp(t)
  let connected = (): void => undefined
  const reached = new Promise<void>((resolve) => {
    connected = resolve
  })
  const black = await tcpServer(t, () => connected())
  const { child, ended } = launch(t, env)
  plane.offer(urlJob(black.origin), urlJob(black.origin, { runAt: Date.now() + 60_000 }))
  await reached
  child.kill('SIGINT')
  await plane.until(() => plane.releases.length > 0)
  child.kill('SIGINT')
  t.equal((await ended).code, 130)
})

t.test('kill -9 loses no finished result', async (t) => {
  const { plane, env } = await setUp(t)
  const target = await httpServer(t, (_, response) => response.end('ok'))
  const first = launch(t, env)
  plane.offer(...Array.from({ length: 30 }, (_, index) => urlJob(target.origin, { id: `run-${index}` })))
  let uploads = 0
  plane.judge = () => {
    uploads += 1
    plane.refuse = 503
    return null
  }
  await plane.until(() => uploads > 0)
  first.child.kill('SIGKILL')
  await first.ended
  const spooled = () => readdirSync(env.SPOOL_DIR).filter((name) => name.endsWith('.jsonl')).length
  t.ok(spooled() > 0)
  plane.refuse = null
  plane.judge = () => 'accepted'
  const second = launch(t, env)
  await plane.until(() => new Set(plane.reports.map(({ jobId }) => jobId)).size >= uploads)
  await plane.until(() => spooled() === 0)
  second.child.kill('SIGTERM')
  t.equal((await second.ended).code, 0)
})
