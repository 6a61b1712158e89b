/** P3: how many results a second the control plane takes in. */
import { join } from 'node:path'
import { sql } from 'kysely'
import { openDatabase } from '../control-plane/platform/store/database/open.ts'
import { change } from '../control-plane/platform/store/database/raw-sql.ts'
import { agentPaths } from '../protocol/agent-api.ts'
import type { Observation } from '../protocol/result.ts'
import { prepareStore } from '../test/support/prepare-store.ts'
import {
  endsWith,
  listening,
  scratchFolder,
  spawnControlPlane,
  startProgram,
} from '../test/support/programs.ts'
import type { Bench, Row, Running } from './bench.ts'
import { type Intake, measureStages, type Round, type Stage, stages } from './support/ingest-stages.ts'
import { countResults, type Installation, install } from './support/installation.ts'
import { grouped, rounded } from './support/numbers.ts'
import { durablePostgres } from './support/postgres.ts'
import { benchKeyEnvironment } from './support/prepare.ts'
import { maxReports, observe, plainTarget } from './support/reports.ts'
import { sized } from './support/size.ts'

const size = { rounds: sized(3, 1), perRound: sized(10_000, 40), connections: 8 }

const goals: Record<'sqlite' | 'postgres', Record<Stage, number>> = {
  sqlite: { first: 18_000, later: 18_000, retried: 6_000, failed: 6_000 },
  postgres: { first: 6_000, later: 8_000, retried: 6_000, failed: 6_000 },
}

const works: Record<Stage, string> = {
  first: 'first results of checks, passing',
  later: 'later results, passing',
  retried: 'failures that are tried again',
  failed: 'first failures, each with a notification',
}

const bestOf = (rounds: Round[]): Round => rounds.reduce((a, c) => (c.perSecond > a.perSecond ? c : a))

type Beside = {
  name: string
  where: string
  engine: 'sqlite' | 'postgres'
  raw: number | null
  bytes: number
}

const rowOf = (stage: Stage, rounds: Round[], { name, where, engine, raw, bytes }: Beside): Row => {
  const { perSecond, ownCpuUs, serverCpuUs } = bestOf(rounds)
  const goal = goals[engine][stage]
  return {
    name,
    work: `${works[stage]}, per second, durable, ${where}`,
    ours: `${grouped(perSecond)}/s`,
    against: raw === null ? '–' : `raw inserts ${grouped(raw)}/s`,
    ratio: raw === null ? '–' : `${rounded((100 * perSecond) / raw)} %`,
    goal: `≥ ${grouped(goal)}/s`,
    met: perSecond >= goal,
    numbers: {
      perSecond: rounded(perSecond),
      controlPlaneCpuUs: rounded(ownCpuUs),
      ...(engine === 'postgres' ? { postgresCpuUs: rounded(serverCpuUs) } : {}),
      rounds: rounds.map((one) => rounded(one.perSecond)).join(' '),
      rawPerSecond: raw,
      resultBytes: bytes,
    },
    notes: [
      `${rounded(ownCpuUs)} µs of the control plane's CPU a result${
        engine === 'postgres' ? `, ${rounded(serverCpuUs)} µs of PostgreSQL's` : ''
      }`,
    ],
  }
}

const rowsOf = (measured: Map<Stage, Round[]>, beside: Omit<Beside, 'name'> & { title: string }): Row[] =>
  [...measured].map(([stage, rounds]) =>
    rowOf(stage, rounds, { ...beside, name: `${beside.title} ${stage}` }),
  )

/** The same rows through the driver alone, in a process of its own. */
const rawRate = async (b: Running, program: string, [from, to]: [string, string]): Promise<number> => {
  const raw = startProgram(`bench/support/${program}`, { args: [from, to, String(size.perRound)] })
  b.teardown(() => raw.end('SIGKILL'))
  const [, perSecond] = await raw.line(/^rows per second (\d+)$/)
  return Number(perSecond)
}

const emptyStore = async (url: string): Promise<void> => {
  const empty = openDatabase(url)
  await prepareStore(empty, Date.now())
  await empty.close()
}

const requireStored = async ({ db }: Pick<Intake, 'db'>): Promise<void> => {
  const [stored, sent] = [await countResults(db), size.rounds * size.perRound * stages.length]
  if (stored !== sent) throw new Error(`${stored} results are stored, not ${sent}`)
}

/** Deliveries go to a receiver of the benchmark. */
const environment = { EGRESS_ALLOWED_NETWORKS: '127.0.0.0/8' }

const onSqlite = async (b: Running, observation: Observation): Promise<Row[]> => {
  const { folder, dataDir, db, controlPlane } = await install(b, environment)
  const intake = { db, controlPlanes: [controlPlane], observation, serverCpu: () => 0 }
  const measured = await measureStages(b, intake, size)
  await requireStored(intake)
  await controlPlane.end('SIGKILL')
  const file = join(folder, 'raw.db')
  await emptyStore(`sqlite:${file}`)
  const raw = await rawRate(b, 'raw-inserts-program.ts', [join(dataDir, 'watchpost.db'), file])
  const bytes = JSON.stringify(observation).length
  return rowsOf(measured, { title: 'P3 sqlite', where: 'SQLite', engine: 'sqlite', raw, bytes })
}

/** Beside the first one, on the same store. */
const another = async (b: Running, url: string): Promise<Installation['controlPlane']> =>
  listening(
    endsWith(
      b,
      spawnControlPlane({
        dataDir: join(await scratchFolder(b), 'data'),
        env: { LOG_LEVEL: 'info', ...benchKeyEnvironment, ...environment, DATABASE_URL: url },
      }),
    ),
  )

type OnPostgres = { observation: Observation; count: 1 | 2 }

const onPostgres = async (b: Running, { observation, count }: OnPostgres): Promise<Row[]> => {
  const server = await durablePostgres(b)
  const { db, controlPlane } = await install(b, { ...environment, DATABASE_URL: server.url })
  const controlPlanes = [controlPlane, ...(count === 2 ? [await another(b, server.url)] : [])]
  const intake = { db, controlPlanes, observation, serverCpu: server.cpuSeconds }
  const measured = await measureStages(b, intake, size)
  await requireStored(intake)
  for (const one of controlPlanes) await one.end('SIGKILL')
  const beside = { engine: 'postgres', bytes: JSON.stringify(observation).length } as const
  if (count === 2)
    return rowsOf(measured, {
      ...beside,
      title: 'P3 two',
      where: 'two control planes on one PostgreSQL',
      raw: null,
    })
  await change(db, sql`create database raw`)
  const empty = Object.assign(new URL(server.url), { pathname: '/raw' }).href
  await emptyStore(empty)
  const raw = await rawRate(b, 'raw-postgres-inserts-program.ts', [server.url, empty])
  return rowsOf(measured, { ...beside, title: 'P3 postgres', where: 'PostgreSQL on this machine', raw })
}

export const ingest: Bench = {
  id: 'P3',
  name: 'p3-ingest',
  measures:
    `results per second through POST ${agentPaths.report}, on disk when answered, sent in batches as an agent cuts them on ` +
    `${size.connections} connections, in the life of a check: first runs, later ones, failures that are tried again, failures that ` +
    `alert a channel (whose receiver answers later); on SQLite and on PostgreSQL with its settings as installed beside inserts of ` +
    `the same rows with the driver alone (${maxReports} a transaction), and with two control planes on one PostgreSQL, all on this ` +
    `machine; checks are created by the handler of POST /v1/checks/url without HTTP; best of ${size.rounds} rounds of ${grouped(size.perRound)}`,
  run: async (b) => {
    const observation = await observe(await plainTarget(b))
    return [
      ...(await onSqlite(b, observation)),
      ...(await onPostgres(b, { observation, count: 1 })),
      ...(await onPostgres(b, { observation, count: 2 })),
    ]
  },
}
