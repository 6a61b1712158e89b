/** P8: how soon somebody knows. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../control-plane/platform/store/database/db.ts'
import { runAlertStorm, type StormOutcome, withoutBrake } from '../test/support/alert-storm.ts'
import { allRows } from '../test/support/all-results.ts'
import { callApi } from '../test/support/api.ts'
import { type Arrival, webhookCounter } from '../test/support/webhook-counter.ts'
import type { Bench, Row, Running } from './bench.ts'
import { browsers, install } from './support/installation.ts'
import { grouped, percentile, rounded } from './support/numbers.ts'
import { createChecks } from './support/prepare.ts'
import { sized } from './support/size.ts'
import { startSwitchedTarget } from './support/switched-target.ts'
import { until } from './support/wait.ts'

const checks = sized(500, 4)
const periodMs = 10_000
const failures = sized(3, 1)
const goalMs = periodMs + 250
const stormChecks = sized(1000, 10)
const stormGoalMs = { calm: 3000, killed: 5000 }
const killAt = 0.5
const brakeGoalMs = 15_000
const settleWithinMs = 120_000

/** Of one failure of one check, in milliseconds. */
type Told = { sinceFailing: number; sinceDue: number; sinceResult: number }

const untilTold = async (b: Running): Promise<Told[]> => {
  const { db, controlPlane, startAgent } = await install(b, { EGRESS_ALLOWED_NETWORKS: '127.0.0.0/8' })
  const target = await startSwitchedTarget(b)
  const hook = await webhookCounter(b)
  await withoutBrake(controlPlane.url)
  const body = { type: 'WEBHOOK', config: { name: 'hook', url: hook.origin } }
  const channel = await callApi<{ id: number }>(controlPlane.url, '/v1/alert-channels', {
    method: 'POST',
    body,
  })
  await createChecks(db, checks, (index) => ({
    name: `check ${index}`,
    request: { url: target.origin },
    frequency: 0,
    frequencyOffset: periodMs / 1000,
    doubleCheck: false,
    alertChannelSubscriptions: [{ alertChannelId: channel.body.id, activated: true }],
  }))
  startAgent()
  // All first runs are due at once: the slots come after them.
  await sleep(1.5 * periodMs)
  const told: Told[] = []
  for (let failure = 1; failure <= failures; failure++) {
    const failedAt = Date.now()
    await target.fail(true)
    await arrived(hook.arrivals, (2 * failure - 1) * checks)
    const round = await measured(db, hook.arrivals.slice(-checks), failedAt)
    const longest = Math.max(...round.map(({ sinceFailing }) => sinceFailing))
    b.say(`failure ${failure}: the last webhook ${grouped(longest)} ms after it`)
    told.push(...round)
    await target.fail(false)
    await arrived(hook.arrivals, 2 * failure * checks)
  }
  return told
}

const arrived = (arrivals: readonly Arrival[], count: number): Promise<void> =>
  until(`webhook ${count}`, { everyMs: 20, withinMs: 60_000 }, () => arrivals.length >= count)

const measured = async (db: Database, arrivals: readonly Arrival[], failedAt: number): Promise<Told[]> => {
  const ids = arrivals.map(({ resultId }) => resultId)
  const told = new Set(ids)
  const rows = (await allRows(db)).filter(({ id }) => told.has(id))
  const results = new Map(rows.map((row) => [row.id, row]))
  return arrivals.map(({ resultId, at }) => {
    const result = results.get(resultId)
    if (result === undefined) throw new Error(`the webhook tells of a result that is not there: ${resultId}`)
    return {
      sinceFailing: at - failedAt,
      sinceDue: at - result.due_at,
      sinceResult: at - result.stopped_at,
    }
  })
}

const describe = (numbers: readonly number[]): string =>
  `p50 ${grouped(percentile(numbers, 50))}, p99 ${grouped(percentile(numbers, 99))} ms`

const toldRow = (told: readonly Told[]): Row => {
  const all = {
    failing: told.map(({ sinceFailing }) => sinceFailing),
    due: told.map(({ sinceDue }) => sinceDue),
    result: told.map(({ sinceResult }) => sinceResult),
  }
  const p99 = percentile(all.failing, 99)
  const numbers = Object.fromEntries(
    Object.entries(all).flatMap(([name, times]) => [
      [`since_${name}_p50_ms`, percentile(times, 50)],
      [`since_${name}_p99_ms`, percentile(times, 99)],
      [`since_${name}_max_ms`, percentile(times, 100)],
    ]),
  )
  return {
    name: 'P8',
    work: `failure to webhook, ${checks} checks at ${periodMs / 1000} s`,
    ours: describe(all.failing),
    against: `the interval, ${grouped(periodMs)} ms`,
    ratio: `${rounded((100 * p99) / periodMs)} %`,
    goal: `p99 ≤ ${grouped(goalMs)} ms`,
    met: p99 <= goalMs,
    numbers,
    notes: [
      `${told.length} failures told. From the due time of the first failing run: ${describe(all.due)}; from the end of that run: ${describe(all.result)}`,
    ],
  }
}

const stormRow = (name: string, work: string, storm: StormOutcome, goalMs: number): Row => {
  const { lastMs, halfMs, lost, doubled, repeated, arrivals, kills } = storm
  return {
    name,
    work,
    ours: `last after ${grouped(lastMs)} ms; ${lost.length} lost, ${doubled.length} doubled`,
    against: '–',
    ratio: '–',
    goal: `≤ ${goalMs / 1000} s, 0 lost, 0 doubled`,
    met: lastMs <= goalMs && lost.length + doubled.length === 0,
    numbers: { lastMs, halfMs, lost: lost.length, doubled: doubled.length, repeated, arrivals, kills },
    notes: [
      `half of them told after ${grouped(halfMs)} ms; ${grouped(arrivals)} webhooks arrived, ${repeated} of them copies under the same id`,
    ],
  }
}

const brakeRow = (work: string, { lastMs, messages, lost, doubled }: StormOutcome): Row => ({
  name: 'P8 brake',
  work,
  ours: `${messages} messages, the last after ${grouped(lastMs)} ms; ${lost.length} lost, ${doubled.length} doubled`,
  against: `${grouped(stormChecks)} messages without it`,
  ratio: '–',
  goal: `≤ ${brakeGoalMs / 1000} s, 0 lost, 0 doubled`,
  met: lastMs <= brakeGoalMs && lost.length + doubled.length === 0,
  numbers: { lastMs, messages, lost: lost.length, doubled: doubled.length },
  notes: [],
})

export const alerting: Bench = {
  id: 'P8',
  name: 'p8-alerting',
  measures: `from the moment a target begins to fail to the webhook's arrival, ${checks} URL checks at ${periodMs / 1000} s, threshold 1, no retries, ${failures} times; then ${grouped(stormChecks)} checks that all fail at once, from the first failing request to the last webhook, again with kill -9 of the control plane when half of them are told, and with the storm brake of a new account; the agent has been there before`,
  run: async (b) => {
    const told = await untilTold(b)
    const storm = {
      checks: stormChecks,
      databaseUrl: null,
      brake: false,
      agent: 'waits',
      browsers,
      settleWithinMs,
    } as const
    const calm = await runAlertStorm(b, { ...storm, killAt: [] })
    b.say(`storm: the last webhook after ${grouped(calm.lastMs)} ms`)
    const killed = await runAlertStorm(b, { ...storm, killAt: [killAt] })
    const braked = await runAlertStorm(b, { ...storm, brake: true, killAt: [] })
    b.say(`brake: ${braked.messages} messages, the last after ${grouped(braked.lastMs)} ms`)
    const work = `${grouped(stormChecks)} checks fail at once`
    return [
      toldRow(told),
      stormRow('P8 storm', work, calm, stormGoalMs.calm),
      stormRow('P8 kill', `${work}, kill -9 at half of them`, killed, stormGoalMs.killed),
      brakeRow(`${work}, storm brake on`, braked),
    ]
  },
}
