// Runs in test:all only: it starts a process for each of many hostile scripts.
/** Code of users that tries to get round the egress proxy, or to get out of it what nobody may reach. */
import { execFile } from 'node:child_process'
import dgram from 'node:dgram'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { agentIo } from '../../support/agent-io.ts'
import { type EgressFacts, egressAttempts } from '../../support/egress-attempts.ts'
import { runScriptWith } from '../../support/scripts.ts'
import { temporaryFolder } from '../../support/test-agent.ts'
import { until } from '../../support/until.ts'

/** Somebody whom nobody may reach, and how often somebody did. */
const canary = async (t: Test): Promise<{ facts: EgressFacts; hits(): number }> => {
  let hits = 0
  const hit = (socket?: net.Socket): void => {
    hits += 1
    socket?.destroy()
  }
  const path = join(temporaryFolder(t), 'canary.sock')
  const [tcp, local, udp] = [net.createServer(hit), net.createServer(hit), dgram.createSocket('udp4')]
  tcp.listen(0, '127.0.0.1')
  local.listen(path)
  udp.on('message', () => hit()).bind(0, '127.0.0.1')
  await Promise.all([once(tcp, 'listening'), once(local, 'listening'), once(udp, 'listening')])
  t.teardown(() => {
    for (const server of [tcp, local, udp]) server.close()
  })
  const { port } = tcp.address() as net.AddressInfo
  return { facts: { tcpPort: port, udpPort: udp.address().port, path }, hits: () => hits }
}

/** Packages may load what scripts may not, so it is a package that tries. */
const runtimesWith = (t: Test): string => {
  const folder = temporaryFolder(t)
  const files = {
    'package.json': JSON.stringify({ name: 'r', version: '1.0.0', dependencies: { tries: '1.0.0' } }),
    'node_modules/.package-lock.json': '{}',
    'node_modules/tries/package.json': JSON.stringify({ name: 'tries', version: '1.0.0' }),
    'node_modules/tries/index.js':
      "exports.run = (code, facts) => new (async () => {}).constructor('require', 'facts', 'process', code)(require, facts, process)",
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, '2026.04', path)), { recursive: true })
    writeFileSync(join(folder, '2026.04', path), text)
  }
  return folder
}

const inTheOpen = async (code: string, facts: EgressFacts): Promise<void> => {
  const program = `const facts = ${JSON.stringify(facts)}\n;(async () => {\n${code}\n})().finally(() => process.exit())`
  const ran = promisify(execFile)(process.execPath, ['--no-warnings', '-e', program], { env: {} })
  // What it overwrote may end it once it is through.
  await ran.catch(() => undefined)
}

t.test('each attempt gets through in the open, and none out of the process of a script', async (t) => {
  const runtimesFolder = runtimesWith(t)
  const blockedNetworks = ['127.0.0.0/8', '::1']
  const run = runScriptWith(agentIo({ runtimesFolder, blockedNetworks, scriptConcurrency: 2 }))
  const attempt = async ({ name, code }: (typeof egressAttempts)[number]): Promise<void> => {
    const { facts, hits } = await canary(t)
    const task = `await Promise.race([require('tries').run(${JSON.stringify(code)}, ${JSON.stringify(facts)}), new Promise((resolve) => setTimeout(resolve, 1500))])`
    await run(task)
    t.equal(hits(), 0, name)
    await inTheOpen(code, facts)
    await until(`${name}, in the open`, () => hits() > 0)
    t.ok(hits() > 0, `${name}, in the open`)
  }
  const waiting = [...egressAttempts]
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await attempt(next)
  }
  await Promise.all([work(), work()])
})
