/** P2: how punctually checks start, alone and beside targets that never answer. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../control-plane/platform/store/database/db.ts'
import { allRows } from '../test/support/all-results.ts'
import type { Bench, Row, Running } from './bench.ts'
import { install } from './support/installation.ts'
import { percentile, rounded } from './support/numbers.ts'
import { createChecks } from './support/prepare.ts'
import { sized } from './support/size.ts'
import { startTarget } from './support/targets.ts'
import { until } from './support/wait.ts'

const checks = sized(2000, 10)
const periodMs = 10_000
const measuredMs = sized(60_000, 10_000)
const goalMs = 20
const allowedChange = 0.2
/** A change below the clock's own grain (results carry whole milliseconds) is no change. */
const grainMs = 1

export type Lateness = {
  runs: number
  p50: number
  p99: number
  max: number
  /** p50 of the last third of the time less that of the first third. */
  driftMs: number
  early: number
  missed: number
}

export const latenessOf = async (db: Database, ids: ReadonlySet<string>, [from, to]: [number, number]) => {
  const rows = (await allRows(db)).filter(
    ({ check_id, due_at }) => ids.has(check_id) && due_at >= from && due_at < to,
  )
  const missedRows = await db.select((k) =>
    k.selectFrom('missed_runs').selectAll().where('last_due_at', '>=', from).where('first_due_at', '<', to),
  )
  const late = (part: typeof rows) => part.map(({ due_at, started_at }) => started_at - due_at)
  const third = (to - from) / 3
  const all = late(rows)
  const lateness: Lateness = {
    runs: rows.length,
    p50: percentile(all, 50),
    p99: percentile(all, 99),
    max: percentile(all, 100),
    driftMs:
      percentile(late(rows.filter(({ due_at }) => due_at >= to - third)), 50) -
      percentile(late(rows.filter(({ due_at }) => due_at < from + third)), 50),
    early: all.filter((ms) => ms < 0).length,
    missed: missedRows.filter(({ check_id }) => ids.has(check_id)).length,
  }
  return lateness
}

type Round = { healthy: Lateness; holes: Lateness | null }

/** Every `everyNth` check aims at a black hole: half of them accept and never answer, half never complete a connection. */
const measureRound = async (b: Running, everyNth: number | null): Promise<Round> => {
  const { db, controlPlane, startAgent } = await install(b)
  const healthy = await startTarget(b, 'http')
  const holes = everyNth === null ? [] : [await startTarget(b, 'hole'), await startTarget(b, 'full')]
  const originOf = (index: number): string =>
    everyNth === null || index % everyNth !== 0 ? healthy : (holes[(index / everyNth) % 2] as string)
  const ids = await createChecks(db, checks, (index) => ({
    name: `check ${index}`,
    request: { url: `${originOf(index)}/` },
    frequency: 0,
    frequencyOffset: 10,
  }))
  const agent = startAgent()
  // All first runs are due at once, when the checks are created: the slots come after them.
  await sleep(1.5 * periodMs)
  const from = Date.now()
  const to = from + measuredMs
  await sleep(measuredMs)
  const healthyIds = new Set(ids.filter((_, index) => originOf(index) === healthy))
  const expected = (healthyIds.size * measuredMs) / periodMs
  await until('the last results', { everyMs: 200, withinMs: 60_000 }, async () => {
    const { runs, missed } = await latenessOf(db, healthyIds, [from, to])
    return runs + missed >= expected
  })
  const round = {
    healthy: await latenessOf(db, healthyIds, [from, to]),
    holes:
      everyNth === null
        ? null
        : await latenessOf(db, new Set(ids.filter((id) => !healthyIds.has(id))), [from, to]),
  }
  await agent.end('SIGKILL')
  await controlPlane.end('SIGKILL')
  return round
}

export const describeLateness = ({ p50, p99, max }: Lateness): string =>
  `p50 ${p50}, p99 ${p99}, max ${max} ms`

const row = (name: string, work: string, { healthy }: Round): Omit<Row, 'met' | 'ratio' | 'goal'> => ({
  name,
  work,
  ours: describeLateness(healthy),
  against: 'the slot itself',
  numbers: Object.fromEntries(Object.entries(healthy).map(([key, value]) => [key, rounded(value, 1)])),
  notes: [
    `${healthy.runs} runs, ${healthy.missed} missed, ${healthy.early} early, drift ${healthy.driftMs} ms in ${measuredMs / 1000} s`,
  ],
})

export const startLateness: Bench = {
  id: 'P2',
  name: 'p2-start-lateness',
  measures: `start lateness (startedAt − dueAt of stored results) of ${checks} URL checks every 10 s over 60 s, then again with 20 % of the targets black holes (lateness of the others)`,
  run: async (b) => {
    const plain = await measureRound(b, null)
    b.say(`without black holes: ${describeLateness(plain.healthy)}`)
    const disturbed = await measureRound(b, 5)
    const change = disturbed.healthy.p99 / plain.healthy.p99 - 1
    const unchanged = change < allowedChange || Math.abs(disturbed.healthy.p99 - plain.healthy.p99) <= grainMs
    const holes = disturbed.holes as Lateness
    const first = row('P2', `lateness of ${checks} checks at 10 s`, plain)
    const second = row('P2 holes', 'the same, 20 % black holes', disturbed)
    return [
      {
        ...first,
        ratio: '–',
        goal: `p99 ≤ ${goalMs} ms, no drift`,
        met: plain.healthy.p99 <= goalMs && Math.abs(plain.healthy.driftMs) <= grainMs,
      },
      {
        ...second,
        ratio: `${change >= 0 ? '+' : ''}${rounded(change * 100)} %`,
        goal: 'p99 changes < 20 %',
        met: unchanged && disturbed.healthy.p99 <= goalMs,
        numbers: { ...second.numbers, holeRuns: holes.runs, holeMissed: holes.missed, holeP99: holes.p99 },
        notes: [
          ...second.notes,
          `the black holes themselves: ${holes.runs} runs of up to 30 s, ${holes.missed} slots missed (OVERLAP); ${describeLateness(holes)}`,
        ],
      },
    ]
  },
}
