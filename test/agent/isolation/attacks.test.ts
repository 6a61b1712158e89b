/** Hostile code with native calls, in the isolation of this machine: what each of them has to hold, attempt by attempt. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { arch, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { attemptsRoom } from '../../support/attempts.ts'
import { httpServer } from '../../support/servers.ts'
import { temporaryFolder } from '../../support/test-agent.ts'
import { allowedTable } from './attempts/allowed.ts'
import { filesAttempts } from './attempts/files.ts'
import { kernelAttempts, x64Only } from './attempts/kernel.ts'
import { networkAttempts } from './attempts/network.ts'
import { processesAttempts } from './attempts/processes.ts'

/** What lies about for hostile code, as open as its modes can make it. */
const bait = async (t: Test) => {
  const outside = join(temporaryFolder(t), 'outside')
  mkdirSync(outside)
  chmodSync(dirname(outside), 0o755)
  chmodSync(outside, 0o777)
  const path = (name: string): string => join(outside, name)
  for (const name of ['canary', 'spare', 'remove', 'move']) writeFileSync(path(name), 'canary')
  writeFileSync(path('canary.cjs'), 'module.exports = "canary"')
  for (const name of readdirSync(outside)) chmodSync(path(name), 0o666)
  const database = new DatabaseSync(path('watchpost.db'))
  database.exec("create table keys (key text); insert into keys values ('canary')")
  database.close()
  const socket = path('local.sock')
  const local = createServer((one) => one.destroy())
  await new Promise<void>((resolve) => local.listen(socket, resolve))
  t.teardown(() => local.close())
  const reached: string[] = []
  const target = await httpServer(t, (request, response) => {
    reached.push(String(request.url))
    response.end()
  })
  const egressProxy = await httpServer(t, (_, response) => response.end('the egress proxy'))
  const facts = {
    agent: process.pid,
    outside,
    canary: path('canary'),
    canaryModule: path('canary.cjs'),
    spare: path('spare'),
    database: path('watchpost.db'),
    socket,
    port: target.port,
    egressProxyPort: egressProxy.port,
  }
  return { facts, reached }
}

const table = [
  ...filesAttempts,
  ...networkAttempts,
  ...processesAttempts,
  ...kernelAttempts,
  ...(arch() === 'x64' ? x64Only : []),
]

for (const owner of [true, false]) {
  const user = owner ? 'a user of its own' : "the agent's user without its capabilities"
  t.test(`each attempt is refused by the layer that it is for (${user})`, async (t) => {
    const room = attemptsRoom(t)
    const { layers, problem } = await room.isolation.status()
    const status = owner ? layers : layers.filter((name) => name !== 'own-uid')
    t.comment(`layers that stand: ${status.join(', ')}${problem === null ? '' : ` (${problem})`}`)
    const { facts, reached } = await bait(t)
    const outcomes = await room.run(table, { facts, egressProxyPort: facts.egressProxyPort, owner })
    const judged = table.filter(({ layer }) => status.includes(layer))
    for (const { layer, name, refused } of judged) t.match(outcomes.get(name), refused, `${layer}: ${name}`)
    if (status.includes('tcp') && status.includes('seccomp')) t.strictSame(reached, [])
    t.comment(`${judged.length} of ${table.length} attempts judged: those of the layers that stand here`)
  })
}

/** proc_pid_status(5): all capabilities that root has, and no filter of somebody else's, such as a container's. */
const isUnconfined = (): boolean => {
  const status = readFileSync('/proc/self/status', 'utf8')
  const mayTrace = (BigInt(`0x${/^CapEff:\s+(\w+)/m.exec(status)?.[1] ?? '0'}`) >> 19n) & 1n
  return userInfo().uid === 0 && mayTrace === 1n && /^Seccomp:\s+0$/m.test(status)
}
const skip = isUnconfined() ? false : 'somebody else confines this test'

t.test(
  'without isolation the same attempts work, so it is the isolation that refuses them',
  { skip },
  async (t) => {
    const room = attemptsRoom(t)
    const { facts } = await bait(t)
    const open = table.filter((row) => row.open)
    const outcomes = await room.run(open, { facts: { ...facts, own: facts.outside }, isolated: false })
    for (const { name } of open) t.match(outcomes.get(name), /^worked/, name)
    t.comment(`${open.length} attempts work in the open`)
  },
)

t.test('what scripts need works behind them', async (t) => {
  const room = attemptsRoom(t)
  const { facts } = await bait(t)
  const outcomes = await room.run(allowedTable, { facts, egressProxyPort: facts.egressProxyPort })
  for (const { name, worked } of allowedTable) {
    t.match(outcomes.get(name), /^worked/, name)
    t.match(outcomes.get(name), worked, name)
  }
})
