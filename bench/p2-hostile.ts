/** P2H: how punctually healthy checks start beside as many whose targets do their worst. */
import { setTimeout as sleep } from 'node:timers/promises'
import { endsWith, startProgram } from '../test/support/programs.ts'
import type { Bench, Running } from './bench.ts'
import { describeLateness, type Lateness, latenessOf } from './p2-start-lateness.ts'
import { install } from './support/installation.ts'
import { rounded } from './support/numbers.ts'
import { createChecks } from './support/prepare.ts'
import { startTarget } from './support/targets.ts'
import { until } from './support/wait.ts'

const checks = 1000
const periodMs = 10_000
const measuredMs = 60_000
const allowedChange = 0.2
const grainMs = 1

type Round = { healthy: Lateness; hostile: Lateness | null }

const hostileOrigins = async (b: Running): Promise<string[]> => {
  const program = endsWith(b, startProgram('bench/support/hostile-program.ts', {}))
  const [, origins = '[]'] = await program.line(/^origins (.+)$/)
  return JSON.parse(origins) as string[]
}

const measureRound = async (b: Running, withHostile: boolean): Promise<Round> => {
  const { db, controlPlane, startAgent } = await install(b)
  const every = { frequency: 0, frequencyOffset: 10 }
  const healthy = await startTarget(b, 'http')
  const ids = await createChecks(db, checks, (index) => ({
    name: `healthy ${index}`,
    request: { url: `${healthy}/` },
    ...every,
  }))
  const origins = withHostile ? await hostileOrigins(b) : []
  const others = await createChecks(db, withHostile ? checks : 0, (index) => ({
    name: `hostile ${index}`,
    request: { url: `${origins[index % origins.length]}/` },
    ...every,
  }))
  const agent = startAgent()
  await sleep(1.5 * periodMs)
  const from = Date.now()
  const to = from + measuredMs
  await sleep(measuredMs)
  const wanted = new Set(ids)
  await until('the last results', { everyMs: 200, withinMs: 30_000 }, async () => {
    const { runs, missed } = await latenessOf(db, wanted, [from, to])
    return runs + missed >= (checks * measuredMs) / periodMs
  })
  const round = {
    healthy: await latenessOf(db, wanted, [from, to]),
    hostile: withHostile ? await latenessOf(db, new Set(others), [from, to]) : null,
  }
  await agent.end('SIGKILL')
  await controlPlane.end('SIGKILL')
  return round
}

export const hostileTargets: Bench = {
  id: 'P2H',
  name: 'p2-hostile',
  measures: `start lateness of ${checks} healthy URL checks every 10 s over 60 s, alone and beside ${checks} hostile ones (no answer, one byte a second, endless body, gzip bomb, endless headers, redirect loop, reset in the middle, a certificate that nobody trusts); the hostile servers run on the same two cores`,
  run: async (b) => {
    const alone = (await measureRound(b, false)).healthy
    b.say(`alone: ${describeLateness(alone)}`)
    const { healthy: beside, hostile } = await measureRound(b, true)
    const change = beside.p99 / alone.p99 - 1
    const unchanged = change < allowedChange || Math.abs(beside.p99 - alone.p99) <= grainMs
    return [
      {
        name: 'P2 hostile',
        work: `lateness of ${checks} checks beside ${checks} hostile ones`,
        ours: describeLateness(beside),
        against: `alone: ${describeLateness(alone)}`,
        ratio: `${change >= 0 ? '+' : ''}${rounded(change * 100)} %`,
        goal: 'p99 changes < 20 %',
        met: unchanged && beside.missed === 0,
        numbers: {
          aloneP50: alone.p50,
          aloneP99: alone.p99,
          p50: beside.p50,
          p99: beside.p99,
          max: beside.max,
          runs: beside.runs,
          missed: beside.missed,
          hostileRuns: hostile?.runs ?? 0,
          hostileMissed: hostile?.missed ?? 0,
        },
        notes: [
          `${beside.runs} healthy runs, ${beside.missed} missed; ${hostile?.runs} hostile runs, ${hostile?.missed} of them skipped because the one before still ran (OVERLAP)`,
        ],
      },
    ]
  },
}
