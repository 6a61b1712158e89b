/** P18: how much of the primary's CPU goes away when reads go to a replica, while results come in. */
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { insertResults } from '../control-plane/monitoring/results/stored/insert-results.ts'
import type { Database } from '../control-plane/platform/store/database/db.ts'
import { binariesOf, oldestPostgres } from '../test/support/installed-postgres.ts'
import { prepareStore } from '../test/support/prepare-store.ts'
import { agentKey } from '../test/support/programs.ts'
import { startPostgres } from '../test/support/start-postgres.ts'
import type { Bench, Row, Running } from './bench.ts'
import { createKeys } from './support/api-keys.ts'
import { cpuSeconds } from './support/cpu-time.ts'
import { type Installation, install } from './support/installation.ts'
import { grouped, percentile, rounded } from './support/numbers.ts'
import { readOwnMetrics, sumOf } from './support/own-metrics.ts'
import { poster } from './support/post-json.ts'
import { treeCpuSeconds } from './support/postgres.ts'
import { createChecks, openStore } from './support/prepare.ts'
import { claim, observe, plainTarget, report, toBatches } from './support/reports.ts'
import { sized } from './support/size.ts'
import { until } from './support/wait.ts'
import { runsOf } from './year/fill-results.ts'

/** Results and reads of each round, the same in both: CPU is compared, not time. */
const results = sized(4000, 20)
const reads = sized(2000, 10)
const readsAtOnce = 4
const claimedAtOnce = 200
/** Of a day, each minute, of the checks that are asked for. */
const readChecks = sized(50, 2)
const minutes = sized(1440, 10)

const server = async (b: Running, replicaOf?: string) => {
  const binaries = String(binariesOf(oldestPostgres))
  const { url, pid, stop } = await startPostgres({
    durable: true,
    binaries,
    ...(replicaOf ? { replicaOf } : {}),
  })
  b.teardown(stop)
  return { url, cpuSeconds: () => treeCpuSeconds(pid) }
}

const pathsOf = (id: string): string[] => [
  `/v1/analytics/url-monitors/${id}?metrics=availability,responseTime_p95&quickRange=last24Hours`,
  `/v2/check-results/${id}?limit=100`,
  '/v1/reporting',
  '/v1/missed-runs?limit=100',
  '/v1/error-groups?limit=100',
]

const readAll = async (
  origin: string,
  ids: readonly string[],
  keys: readonly string[],
): Promise<number[]> => {
  const times: number[] = []
  const work = ids.flatMap(pathsOf)
  let next = 0
  const one = async (): Promise<void> => {
    while (next < reads) {
      const n = next++
      const startedAt = performance.now()
      const answer = await fetch(`${origin}${work[n % work.length]}`, {
        headers: { authorization: `Bearer ${keys[n % keys.length]}` },
      })
      await answer.arrayBuffer()
      if (answer.status !== 200) throw new Error(`${work[n % work.length]}: ${answer.status}`)
      times.push(performance.now() - startedAt)
    }
  }
  await Promise.all(Array.from({ length: readsAtOnce }, one))
  return times
}

type Round = { primaryS: number; replicaS: number; planeS: number; readP99Ms: number; share: number }
type Cpu = () => number

const takeIn = async (b: Running, { controlPlane }: Installation, count: number): Promise<void> => {
  const connection = new http.Agent({ keepAlive: true, maxSockets: 1 })
  b.teardown(() => connection.destroy())
  const post = poster(controlPlane.url, agentKey, connection)
  const observation = await observe(await plainTarget(b))
  // A part at a time: leases are short, and readers have the processor, too.
  for (let done = 0; done < count; done += claimedAtOnce) {
    const part = Math.min(claimedAtOnce, count - done)
    const batches = toBatches(await claim(post, 'bench', part), 'bench', observation)
    const accepted = await report([post], batches)
    if (accepted !== part) throw new Error(`${accepted} of ${part} results were accepted`)
  }
}

const shareOf = async (url: string): Promise<number> => {
  const metrics = await readOwnMetrics(url)
  const of = (name: string) => sumOf(metrics, `watchpost_read_replica_statements_total{server="${name}"`)
  return of('replica') / Math.max(1, of('replica') + of('primary'))
}

const checksFor = (db: Database, count: number) =>
  createChecks(db, count, (n) => ({
    name: `check ${n}`,
    request: { url: 'http://127.0.0.1/' },
    frequency: 1440,
  }))

const addHistory = async (db: Database, ids: readonly string[], now: number): Promise<void> => {
  const from = now - minutes * 60_000
  for (const [n, id] of ids.entries()) {
    const run = runsOf({ id, everyMs: 60_000, from }, n)
    const rows = Array.from({ length: minutes }, (_, minute) => run(from + minute * 60_000))
    await db.transaction((trx) => insertResults(trx, rows))
  }
}

const measureRound = async (
  b: Running,
  env: Record<string, string>,
  cpu: { primary: Cpu; replica: Cpu },
): Promise<Round> => {
  const now = Date.now()
  const db = openStore(b, String(env['DATABASE_URL']))
  await prepareStore(db, now - 86_400_000)
  const installation = await install(b, env)
  const { controlPlane } = installation
  const ids = await checksFor(db, readChecks + results)
  await addHistory(db, ids.slice(0, readChecks), now)
  const keys = await createKeys(db, 50)
  if (env['DATABASE_READ_URL'] !== undefined)
    await until(
      'a replica that is used',
      { everyMs: 200, withinMs: 60_000 },
      async () => ((await readOwnMetrics(controlPlane.url)).get('watchpost_read_replica_usable') ?? 0) === 1,
    )
  await sleep(2000)
  const before = { primary: cpu.primary(), replica: cpu.replica(), plane: cpuSeconds(controlPlane.pid) }
  const [times] = await Promise.all([
    readAll(controlPlane.url, ids.slice(0, readChecks), keys),
    takeIn(b, installation, results),
  ])
  const round = {
    primaryS: cpu.primary() - before.primary,
    replicaS: cpu.replica() - before.replica,
    planeS: cpuSeconds(controlPlane.pid) - before.plane,
    readP99Ms: percentile(times, 99),
    share: await shareOf(controlPlane.url),
  }
  await controlPlane.end('SIGKILL')
  return round
}

const shown = ({ primaryS, replicaS }: Round): string =>
  `primary ${rounded(primaryS, 1)} s of CPU, replica ${rounded(replicaS, 1)} s`

export const readReplica: Bench = {
  id: 'P18',
  name: 'p18-read-replica',
  measures: `CPU of the primary for ${grouped(results)} results taken in beside ${grouped(reads)} reads (analytics, lists of results, reports, missed runs, error groups), of ${readChecks} checks with a day of minutes, with DATABASE_READ_URL against without; PostgreSQL ${oldestPostgres} with a streaming replica, everything on one machine`,
  run: async (b): Promise<Row[]> => {
    if (binariesOf(oldestPostgres) === null) throw new Error(`PostgreSQL ${oldestPostgres} is not installed`)
    const rounds: Round[] = []
    for (const withReplica of [false, true]) {
      const primary = await server(b)
      const replica = await server(b, primary.url)
      const env = { DATABASE_URL: primary.url, ...(withReplica ? { DATABASE_READ_URL: replica.url } : {}) }
      rounds.push(await measureRound(b, env, { primary: primary.cpuSeconds, replica: replica.cpuSeconds }))
      b.say(JSON.stringify(rounds.at(-1)))
    }
    const [without, with_] = rounds as [Round, Round]
    const relief = 1 - with_.primaryS / without.primaryS
    return [
      {
        name: 'P18',
        work: `${grouped(results)} results beside ${grouped(reads)} reads, with a read replica`,
        ours: shown(with_),
        against: `without: ${shown(without)}`,
        ratio: `${rounded(100 * relief)} % less of the primary`,
        goal: '–',
        met: null,
        numbers: {
          reliefPercent: rounded(100 * relief),
          withPrimaryS: rounded(with_.primaryS, 2),
          withReplicaS: rounded(with_.replicaS, 2),
          withoutPrimaryS: rounded(without.primaryS, 2),
          withoutReplicaS: rounded(without.replicaS, 2),
          sharePercent: rounded(100 * with_.share),
        },
        notes: [
          `${rounded(100 * with_.share)} % of the statements that may be read there were; reads p99 ${rounded(without.readP99Ms)} ms without, ${rounded(with_.readP99Ms)} ms with it; CPU of the control plane ${rounded(without.planeS, 1)} and ${rounded(with_.planeS, 1)} s`,
        ],
      },
    ]
  },
}
