/** P2H: how punctually healthy checks start beside as many whose targets do their worst. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../control-plane/platform/store/database/db.ts'
import { endsWith, startProgram } from '../test/support/programs.ts'
import type { Bench, Running } from './bench.ts'
import { describeLateness, type Lateness, latenessOf } from './p2-start-lateness.ts'
import { expensiveChecks } from './support/expensive-checks.ts'
import { install } from './support/installation.ts'
import { rounded } from './support/numbers.ts'
import { createChecks } from './support/prepare.ts'
import { sized } from './support/size.ts'
import { startTarget } from './support/targets.ts'
import { until } from './support/wait.ts'

const checks = sized(1000, 11)
const periodMs = 10_000
const every = { frequency: 0, frequencyOffset: 10 }
const measuredMs = sized(60_000, 10_000)
const goalMs = 20

type Round = { healthy: Lateness; hostile: Lateness | null }

/** Of the hostile checks, those whose target is well and whose own work is hard. */
const expensive = sized(240, 3)

type HostileServers = { origins: string[]; documents: string }

const hostileServers = async (b: Running): Promise<HostileServers> => {
  const program = endsWith(b, startProgram('bench/support/hostile-program.ts', {}))
  const [, documents = ''] = await program.line(/^documents (.+)$/)
  const [, origins = '[]'] = await program.line(/^origins (.+)$/)
  return { origins: JSON.parse(origins) as string[], documents }
}

const createHostile = async (b: Running, db: Database): Promise<string[]> => {
  const { origins, documents } = await hostileServers(b)
  const urls = await createChecks(db, checks - expensive, (index) => ({
    name: `hostile ${index}`,
    request: { url: `${origins[index % origins.length]}/` },
    ...every,
  }))
  const bodyOf = expensiveChecks(documents)
  const apis = await createChecks(db, expensive, (index) => ({ ...bodyOf(index), ...every }), 'api')
  return [...urls, ...apis]
}

const measureRound = async (b: Running, withHostile: boolean): Promise<Round> => {
  const { db, controlPlane, startAgent } = await install(b)
  const healthy = await startTarget(b, 'http')
  const ids = await createChecks(db, checks, (index) => ({
    name: `healthy ${index}`,
    request: { url: `${healthy}/` },
    ...every,
  }))
  const others = withHostile ? await createHostile(b, db) : []
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
  measures: `start lateness of ${checks} healthy URL checks every 10 s over 60 s, alone and beside ${checks} hostile ones (no answer, one byte a second, endless body, gzip bomb, endless headers, redirect loop, reset in the middle, a certificate that nobody trusts; scripts that never end, ten JSON paths and ten patterns that cost the most on 1.3 MB); the hostile servers run on the same two cores`,
  run: async (b) => {
    const alone = (await measureRound(b, false)).healthy
    b.say(`alone: ${describeLateness(alone)}`)
    const { healthy: beside, hostile } = await measureRound(b, true)
    const change = beside.p99 / alone.p99 - 1
    return [
      {
        name: 'P2 hostile',
        work: `lateness of ${checks} checks beside ${checks} hostile ones`,
        ours: describeLateness(beside),
        against: `alone: ${describeLateness(alone)}`,
        ratio: `${change >= 0 ? '+' : ''}${rounded(change * 100)} %`,
        goal: `p99 ≤ ${goalMs} ms`,
        met: beside.p99 <= goalMs && beside.missed === 0,
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
