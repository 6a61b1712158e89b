/** P1: what a URL check costs the agent. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../control-plane/platform/store/database/db.ts'
import { allRows } from '../test/support/all-results.ts'
import { type Bench, peerMissing, type Row, type Running } from './bench.ts'
import { type BlackboxModule, blackboxVersion, probeWithoutPause, startBlackbox } from './support/blackbox.ts'
import { cpuSeconds, residentMb } from './support/cpu-time.ts'
import { countResults, install } from './support/installation.ts'
import { grouped, median, rounded, times } from './support/numbers.ts'
import { createChecks } from './support/prepare.ts'
import { sized } from './support/size.ts'
import { startTarget } from './support/targets.ts'
import { until } from './support/wait.ts'

type Variant = {
  name: string
  work: string
  type: 'url' | 'api'
  kind: 'http' | 'https' | 'json'
  /** The peer's module that asserts as much. */
  module: BlackboxModule
  checks: number
  /** Times the peer's. */
  goal: number
  assertions: Array<{ source: string; comparison: string; target: string; property?: string }>
}

const urlAssertions = [
  { source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' },
  { source: 'STATUS_CODE', comparison: 'LESS_THAN', target: '400' },
]

/** One of each source that an API check has; the peer matches regular expressions for the same facts. */
const apiAssertions = [
  { source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' },
  { source: 'JSON_BODY', property: '$.status', comparison: 'EQUALS', target: 'up' },
  { source: 'JSON_BODY', property: '$.services.length', comparison: 'GREATER_THAN', target: '5' },
  { source: 'HEADERS', property: 'content-type', comparison: 'CONTAINS', target: 'application/json' },
  { source: 'TEXT_BODY', property: '"version":"([0-9.]+)"', comparison: 'EQUALS', target: '1.2.3' },
]

/**
 * A backlog that lasts: as many checks as the agent can run in the time measured, each with its first run waiting, so
 * that the agent is never idle and the control plane does nothing but hand out and take in.
 */
const variants: readonly Variant[] = [
  {
    name: 'P1 http',
    work: 'URL checks per CPU-second',
    type: 'url',
    kind: 'http',
    module: 'http',
    checks: sized(175_000, 1500),
    goal: 3,
    assertions: urlAssertions,
  },
  {
    name: 'P1 tls',
    work: 'URL checks per CPU-second',
    type: 'url',
    kind: 'https',
    module: 'http',
    checks: sized(65_000, 1500),
    goal: 1.2,
    assertions: urlAssertions,
  },
  {
    name: 'P1 api',
    work: 'API checks with 5 assertions per CPU-second',
    type: 'api',
    kind: 'json',
    module: 'json',
    checks: sized(160_000, 1500),
    goal: 1.5,
    assertions: apiAssertions,
  },
]

const windows = sized(3, 1)
const windowMs = sized(5000, 500)
/** An agent without a pause lets its heap grow after twenty seconds (`agent/program/heap-growth.ts`); the peer has as long. */
const warmUpMs = sized(24_000, 50)
const peerConnections = sized(32, 4)
const goalMb = 160

type Rate = { perCpuSecond: number; perSecond: number; cores: number }

/** Work done and CPU used in each of the windows; the one with the median cost. */
const measure = async (pid: number, done: () => number | Promise<number>): Promise<Rate> => {
  const rates: Rate[] = []
  for (let window = 0; window < windows; window++) {
    const [cpu, count, startedAt] = [cpuSeconds(pid), await done(), performance.now()]
    await sleep(windowMs)
    const elapsed = (performance.now() - startedAt) / 1000
    const [used, finished] = [cpuSeconds(pid) - cpu, (await done()) - count]
    rates.push({ perCpuSecond: finished / used, perSecond: finished / elapsed, cores: used / elapsed })
  }
  const middle = median(rates.map(({ perCpuSecond }) => perCpuSecond))
  // Not by ===: a small window of a busy machine may have neither work nor CPU in it.
  return rates.find(({ perCpuSecond }) => Object.is(perCpuSecond, middle)) as Rate
}

const request = (origin: string, { type, assertions }: Variant) => ({
  url: `${origin}/status`,
  skipSSL: true,
  assertions,
  ...(type === 'api' ? { method: 'GET' } : {}),
})

/** Whether work was waiting all the time: otherwise the last window would have measured an idle agent as well. */
const requireBacklog = async (db: Database): Promise<void> => {
  const [waiting] = await db.select((k) =>
    k.selectFrom('jobs').select('id').where('agent_id', 'is', null).limit(1),
  )
  if (waiting === undefined) throw new Error('the agent ran out of checks: this machine needs more of them')
}

const measureOurs = async (b: Running, origin: string, variant: Variant) => {
  const { db, startAgent, controlPlane } = await install(b)
  const bodyOf = (index: number) => ({
    name: `check ${index}`,
    request: request(origin, variant),
    frequency: 1440,
  })
  await createChecks(db, variant.checks, bodyOf, variant.type)
  const agent = startAgent()
  await until(
    'the first result',
    { everyMs: 50, withinMs: 120_000 },
    async () => (await countResults(db)) > 0,
  )
  await sleep(warmUpMs)
  const before = cpuSeconds(controlPlane.pid)
  const startedAt = performance.now()
  const rate = await measure(agent.pid, () => countResults(db))
  const controlPlaneCores = (cpuSeconds(controlPlane.pid) - before) / ((performance.now() - startedAt) / 1000)
  await requireBacklog(db)
  const failed = (await allRows(db)).filter((row) => row.has_failures || row.has_errors).length
  const agentMb = residentMb(agent.pid)
  await agent.end('SIGKILL')
  await controlPlane.end('SIGKILL')
  return { ...rate, agentMb, controlPlaneCores, failed }
}

const measurePeer = async (
  b: Running,
  origin: string,
  module: BlackboxModule,
): Promise<(Rate & { failed: number }) | null> => {
  if (blackboxVersion() === null) return null
  const { program, port } = await startBlackbox(b)
  const load = probeWithoutPause(port, { module, target: `${origin}/status` }, peerConnections)
  await sleep(warmUpMs)
  const rate = await measure(program.pid, load.probes)
  await load.stop()
  await program.end('SIGKILL')
  return { ...rate, failed: load.failures() }
}

const row = async (b: Running, variant: Variant): Promise<Row> => {
  const { name, work, kind, module } = variant
  const origin = await startTarget(b, kind)
  const ours = await measureOurs(b, origin, variant)
  b.say(`${name}: ours ${grouped(ours.perCpuSecond)}/CPU-s, ${grouped(ours.perSecond)}/s`)
  const peer = await measurePeer(b, origin, module)
  const ratio = peer === null ? null : ours.perCpuSecond / peer.perCpuSecond
  const notes = [`the agent used ${ours.cores.toFixed(2)} cores, ${ours.agentMb} MB`]
  if (ours.failed > 0) notes.push(`${ours.failed} of our checks failed`)
  if (peer !== null && peer.failed > 0) notes.push(`${peer.failed} of the peer's probes failed`)
  return {
    name,
    work,
    ours: `${grouped(ours.perCpuSecond)} (${grouped(ours.perSecond)}/s), ${ours.agentMb} MB`,
    against:
      peer === null
        ? peerMissing
        : `blackbox_exporter ${grouped(peer.perCpuSecond)} (${grouped(peer.perSecond)}/s)`,
    ratio: ratio === null ? '–' : times(ratio),
    goal: `≥ ${times(variant.goal)}, ≤ ${goalMb} MB`,
    met: ratio === null ? null : ratio >= variant.goal && ours.agentMb <= goalMb,
    numbers: {
      oursPerCpuSecond: rounded(ours.perCpuSecond),
      oursPerSecond: rounded(ours.perSecond),
      oursCores: rounded(ours.cores, 2),
      agentMb: ours.agentMb,
      controlPlaneCores: rounded(ours.controlPlaneCores, 2),
      oursFailed: ours.failed,
      peerVersion: blackboxVersion(),
      peerPerCpuSecond: peer === null ? null : rounded(peer.perCpuSecond),
      peerPerSecond: peer === null ? null : rounded(peer.perSecond),
      peerCores: peer === null ? null : rounded(peer.cores, 2),
      ratio: ratio === null ? null : rounded(ratio, 2),
    },
    notes: [notes.join('; ')],
  }
}

export const urlChecks: Bench = {
  id: 'P1',
  name: 'p1-url-checks',
  measures:
    'URL checks per CPU-second of the agent (new connection, phase timings, 2 assertions, result durable in the ' +
    'control plane) and API checks with 5 assertions, against probes per CPU-second of blackbox_exporter (new ' +
    'connection, as many assertions, nothing stored); ' +
    'the same target, one after the other; median of 3 windows of 5 s',
  run: async (b) => {
    const rows: Row[] = []
    for (const variant of variants) rows.push(await row(b, variant))
    return rows
  },
}
