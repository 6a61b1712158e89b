/** P3: how many results a second the control plane takes in. */
import http from 'node:http'
import { join } from 'node:path'
import { openDatabase } from '../control-plane/platform/store/database/open.ts'
import { agentPaths } from '../protocol/agent-api.ts'
import type { Observation } from '../protocol/result.ts'
import { prepareStore } from '../test/support/prepare-store.ts'
import { agentKey, startProgram } from '../test/support/programs.ts'
import type { Bench, Row, Running } from './bench.ts'
import { cpuSeconds } from './support/cpu-time.ts'
import { countResults, type Installation, install } from './support/installation.ts'
import { grouped, rounded } from './support/numbers.ts'
import { type Post, poster } from './support/post-json.ts'
import { durablePostgres } from './support/postgres.ts'
import { createChecks } from './support/prepare.ts'
import { claim, maxReports, observe, plainTarget, report, toBatches } from './support/reports.ts'
import { sized } from './support/size.ts'

const rounds = sized(3, 1)
const perRound = sized(20_000, 400)
const connections = 4
const goals = { sqlite: 15_000, postgres: 5_000 }

/** CPU of the control plane and of a server's processes, in µs a result. */
type Round = { perSecond: number; ownCpuUs: number; serverCpuUs: number }

type Measured = { installation: Installation; posts: Post[]; observation: Observation; serverCpu(): number }

const measureRound = async ({ installation, posts, observation, serverCpu }: Measured): Promise<Round> => {
  const { pid } = installation.controlPlane
  const jobs = await claim(posts[0] as Post, 'bench', perRound)
  const batches = toBatches(jobs, 'bench', observation)
  const before = { own: cpuSeconds(pid), server: serverCpu() }
  const startedAt = performance.now()
  const accepted = await report(posts, batches)
  const seconds = (performance.now() - startedAt) / 1000
  if (accepted !== perRound) throw new Error(`${accepted} of ${perRound} results were accepted`)
  return {
    perSecond: perRound / seconds,
    ownCpuUs: ((cpuSeconds(pid) - before.own) / perRound) * 1e6,
    serverCpuUs: ((serverCpu() - before.server) / perRound) * 1e6,
  }
}

/** The same rows through the driver alone, in a process of its own. */
const measureRaw = async (b: Running, { folder, dataDir }: Installation, round: number): Promise<number> => {
  const file = join(folder, `raw-${round}.db`)
  const empty = openDatabase(`sqlite:${file}`)
  await prepareStore(empty, Date.now())
  await empty.close()
  const program = startProgram('bench/support/raw-inserts-program.ts', {
    args: [join(dataDir, 'watchpost.db'), file, String(perRound)],
  })
  b.teardown(() => program.end('SIGKILL'))
  const [, perSecond] = await program.line(/^rows per second (\d+)$/)
  return Number(perSecond)
}

/** All rounds against one store, and what of them is stored. */
const measureRounds = async (
  b: Running,
  installation: Installation,
  { observation, serverCpu }: Pick<Measured, 'observation' | 'serverCpu'>,
): Promise<Round[]> => {
  const { db, controlPlane } = installation
  await createChecks(db, rounds * perRound, (index) => ({
    name: `check ${index}`,
    request: { url: 'http://127.0.0.1/' },
    frequency: 1440,
  }))
  const agents = Array.from({ length: connections }, () => new http.Agent({ keepAlive: true, maxSockets: 1 }))
  b.teardown(() => {
    for (const agent of agents) agent.destroy()
  })
  const posts = agents.map((agent) => poster(controlPlane.url, agentKey, agent))
  const ours: Round[] = []
  for (let round = 0; round < rounds; round++)
    ours.push(await measureRound({ installation, posts, observation, serverCpu }))
  const stored = await countResults(db)
  if (stored !== rounds * perRound) throw new Error(`${stored} results are stored, not ${rounds * perRound}`)
  await controlPlane.end('SIGKILL')
  return ours
}

const bestOf = (ours: Round[]): Round => ours.reduce((a, c) => (c.perSecond > a.perSecond ? c : a))

const rowOf = (ours: Round[], bytes: number) => {
  const best = bestOf(ours)
  return {
    ours: `${grouped(best.perSecond)}/s`,
    numbers: {
      perSecond: rounded(best.perSecond),
      perControlPlaneCpuSecond: rounded(1e6 / best.ownCpuUs),
      controlPlaneCpuUs: rounded(best.ownCpuUs),
      rounds: ours.map(({ perSecond }) => rounded(perSecond)).join(' '),
      resultBytes: bytes,
    },
    notes: [
      `${bytes} bytes a result; ${rounded(best.ownCpuUs)} µs of the control plane's CPU each; checks were created by the handler of POST /v1/checks/url without HTTP, their jobs claimed through the API`,
    ],
  }
}

const onSqlite = async (b: Running, observation: Observation): Promise<Row> => {
  const installation = await install(b)
  const ours = await measureRounds(b, installation, { observation, serverCpu: () => 0 })
  const raw: number[] = []
  for (let round = 0; round < rounds; round++) raw.push(await measureRaw(b, installation, round))
  const { perSecond } = bestOf(ours)
  const limit = Math.max(...raw)
  const { numbers, ...row } = rowOf(ours, JSON.stringify(observation).length)
  return {
    name: 'P3',
    work: 'results taken in per second, durable, SQLite',
    against: `raw inserts ${grouped(limit)}/s`,
    ratio: `${rounded((100 * perSecond) / limit)} %`,
    goal: `≥ ${grouped(goals.sqlite)}/s`,
    met: perSecond >= goals.sqlite,
    ...row,
    numbers: { ...numbers, rawPerSecond: limit, rawRounds: raw.join(' ') },
  }
}

const onPostgres = async (b: Running, observation: Observation): Promise<Row> => {
  const server = await durablePostgres(b)
  const installation = await install(b, { DATABASE_URL: server.url })
  const ours = await measureRounds(b, installation, { observation, serverCpu: server.cpuSeconds })
  const { perSecond, serverCpuUs } = bestOf(ours)
  const { numbers, notes, ...row } = rowOf(ours, JSON.stringify(observation).length)
  return {
    name: 'P3 postgres',
    work: 'the same on PostgreSQL with its settings as installed, on this machine',
    against: '–',
    ratio: '–',
    goal: `≥ ${grouped(goals.postgres)}/s`,
    met: perSecond >= goals.postgres,
    ...row,
    numbers: { ...numbers, postgresCpuUs: rounded(serverCpuUs) },
    notes: [...notes, `${rounded(serverCpuUs)} µs of PostgreSQL's CPU each`],
  }
}

export const ingest: Bench = {
  id: 'P3',
  name: 'p3-ingest',
  measures:
    `results per second through POST ${agentPaths.report} of a control plane, on disk when answered, sent in batches as an ` +
    `agent cuts them on ${connections} connections: on SQLite against inserts of the same rows with better-sqlite3 alone ` +
    `(${maxReports} a transaction, same pragmas and schema), and on PostgreSQL; best of ${rounds} rounds of ${grouped(perRound)}`,
  run: async (b) => {
    const observation = await observe(await plainTarget(b))
    return [await onSqlite(b, observation), await onPostgres(b, observation)]
  },
}
