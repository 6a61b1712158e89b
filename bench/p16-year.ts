/** P16: whether a year of results makes anything slower. */
import { randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import pino from 'pino'
import { bootstrap } from '../control-plane/bootstrap.ts'
import { createApp } from '../control-plane/create-app.ts'
import { createCipher } from '../control-plane/platform/services/secrets/cipher.ts'
import { ownEncryptionKeys } from '../control-plane/platform/services/secrets/generated-secrets.ts'
import { makeDataFolder } from '../control-plane/platform/settings/data-folder.ts'
import type { Database } from '../control-plane/platform/store/database/db.ts'
import { selectRows } from '../control-plane/platform/store/database/raw-sql.ts'
import { readConfig } from '../control-plane/read-config.ts'
import type { WholeApp } from '../control-plane/whole-app.ts'
import type { Observation } from '../protocol/result.ts'
import { prepareStore } from '../test/support/prepare-store.ts'
import {
  accountId,
  agentKey,
  apiKey,
  type ControlPlaneProgram,
  endsWith,
  listening,
  scratchFolder,
  spawnControlPlane,
  startProgram,
} from '../test/support/programs.ts'
import type { Bench, Running } from './bench.ts'
import { createKeys } from './support/api-keys.ts'
import { type Installation, install } from './support/installation.ts'
import { grouped, rounded } from './support/numbers.ts'
import { createChecks, openStore } from './support/prepare.ts'
import { observe, plainTarget } from './support/reports.ts'
import { sized } from './support/size.ts'
import { makeTurnDue, watchDeletion } from './year/deletion.ts'
import { fillLists } from './year/fill-lists.ts'
import { type FilledCheck, fillResults } from './year/fill-results.ts'
import { type Answered, askFor, ingest, readsPerCpuSecond } from './year/measure.ts'
import { dayMs, days, mixOf } from './year/mix.ts'
import { type Contents, questionsOf } from './year/questions.ts'
import {
  type AfterYear,
  type Measured,
  questionRow,
  type Sizes,
  shown,
  storeRowsOf,
  type Year,
} from './year/rows.ts'

const results = Number(process.env['YEAR_ROWS'] ?? sized(10_000_000, 2000))
/** Of which P6 asks, and whose first runs P3 takes in. */
const idleChecks = sized(10_000, 10)
export const keyCount = sized(50, 5)
/** Of a year of results the oldest go. */
const daysToDelete = Math.ceil(days / 10)
const retentionDays = days + 35

const bootstrapSettings = {
  BOOTSTRAP_ACCOUNT_ID: accountId,
  BOOTSTRAP_API_KEY: apiKey,
  BOOTSTRAP_AGENT_KEY: agentKey,
}

const kinds = ['RESULTS', 'MISSED_RUNS', 'SESSIONS', 'ALERTS', 'NOTIFICATIONS', 'ERROR_GROUPS']
/** Everything stays for the year, but details of passing runs for a week, as ever. */
export const yearSettings = Object.fromEntries(
  kinds.map((kind) => [`RETENTION_${kind}_DAYS`, String(retentionDays)]),
)

type RunningPlane = Pick<Installation, 'controlPlane' | 'db'>

const measure = async (
  b: Running,
  { controlPlane, db }: RunningPlane,
  { contents, observation }: { contents: Contents; observation: Observation },
): Promise<Measured> => {
  const keys = await createKeys(db, keyCount)
  const ingested = await ingest(b, controlPlane, { count: idleChecks, observation })
  const answered = new Map<string, Answered | null>()
  for (const question of questionsOf(contents)) {
    const answer = await askFor(controlPlane, question, keys)
    answered.set(question.name, answer)
    b.say(`${question.name}: ${shown(answer)}`)
  }
  const path = `/v1/checks/${contents.minutely}`
  const { pid, url: origin } = controlPlane
  const readKeys = await createKeys(db, keyCount)
  return { ingested, answered, readsPerCpuSecond: await readsPerCpuSecond({ pid, origin, path }, readKeys) }
}

export const monitor = (name: string) => ({ name, request: { url: 'http://127.0.0.1/' }, frequency: 1440 })

const nothing = { cursor: null, resultId: null, sessionId: null }

const onEmptyStore = async (b: Running, observation: Observation): Promise<Measured> => {
  const installation = await install(b, yearSettings)
  const [id = ''] = await createChecks(installation.db, idleChecks, (n) => monitor(`check ${n}`))
  const to = Date.now()
  const contents = { minutely: id, often: id, from: to - days * dayMs, to, ...nothing }
  const measured = await measure(b, installation, { contents, observation })
  await installation.controlPlane.end('SIGTERM')
  return measured
}

export type FillingStore = { app: WholeApp; db: Database; dataDir: string; set(now: number): void }

/** Nothing rests while it fills, and the clock stands where it is set: a store begins when its first results do. */
export const storeToFill = async (b: Running, from: number, url?: string): Promise<FillingStore> => {
  const dataDir = join(await scratchFolder(b), 'data')
  makeDataFolder(dataDir)
  const db = openStore(b, url ?? `sqlite:${dataDir}/watchpost.db`)
  let now = from
  const app = createApp({
    config: readConfig({ ...bootstrapSettings, ...yearSettings, DATA_DIR: dataDir }),
    db,
    log: pino({ level: 'silent' }),
    cipher: createCipher(ownEncryptionKeys(dataDir, randomBytes), randomBytes),
    clock: { now: () => now, monotonic: () => performance.now(), sleep: async () => undefined },
  })
  await prepareStore(db, from)
  await bootstrap(app)
  return {
    app,
    db,
    dataDir,
    set: (to) => {
      now = to
    },
  }
}

const fillYear = async (
  b: Running,
  { app, db, set }: FillingStore,
  { from, to }: { from: number; to: number },
): Promise<Year> => {
  const checks: FilledCheck[] = []
  for (const { everyMs, checks: count, days: ofDays } of mixOf(results))
    for (const id of await createChecks(db, count, (n) => monitor(`every ${everyMs / 1000} s, ${n}`)))
      checks.push({ id, everyMs, from: to - ofDays * dayMs })
  const startedAt = performance.now()
  let saidAt = startedAt
  const progress = (count: number, until: number): void => {
    if (performance.now() - saidAt < 60_000) return
    saidAt = performance.now()
    b.say(`${grouped(count)} results, until ${new Date(until).toISOString()}`)
  }
  const cpu = process.cpuUsage()
  const count = await fillResults(app, { from, to, checks }, { clock: { set }, progress })
  const { user, system } = process.cpuUsage(cpu)
  const seconds = (performance.now() - startedAt) / 1000
  b.say(
    `${grouped(count)} results of ${checks.length} checks were stored, packed and counted in ${rounded(seconds)} s, ${rounded((user + system) / count)} µs of CPU each`,
  )
  const lists = await fillLists(db, { from, to, checkIds: checks.map(({ id }) => id), results: count })
  b.say(JSON.stringify(lists))
  return { checks, from, to, count }
}

/** What a page in the middle of the year names. */
export const contentsOf = async (
  { controlPlane, db }: RunningPlane,
  { checks, from, to }: Year,
): Promise<Contents> => {
  const [often, minutely] = checks
  if (often === undefined || minutely === undefined) throw new Error('there are too few checks')
  const [key = ''] = await createKeys(db, 1)
  const until = Math.floor((from + to) / 2000)
  const path = `/v2/check-results/${minutely.id}?limit=1&from=${Math.floor(from / 1000)}&to=${until}`
  const answer = await fetch(`${controlPlane.url}${path}`, { headers: { authorization: `Bearer ${key}` } })
  const page = (await answer.json()) as { entries: { id: string }[]; nextId: string | null }
  const [session] = await selectRows<{ id: string }>(db, sql`select id from check_sessions limit 1`)
  return {
    minutely: minutely.id,
    often: often.id,
    from,
    to,
    cursor: page.nextId,
    resultId: page.entries[0]?.id ?? null,
    sessionId: session?.id ?? null,
  }
}

export const startFilled = async (
  b: Running,
  { dataDir }: FillingStore,
  env: Record<string, string>,
): Promise<ControlPlaneProgram> =>
  listening(endsWith(b, spawnControlPlane({ dataDir, env: { LOG_LEVEL: 'info', ...yearSettings, ...env } })))

/** Of the tables of results; rollups apart. */
const bytesOf = async (db: Database, like: string): Promise<number> => {
  const [row] = await selectRows<{ bytes: number | null }>(
    db,
    sql`select sum(s.pgsize) as bytes from dbstat s join sqlite_master m on m.name = s.name
      where m.tbl_name like ${like} escape '~' and s.aggregate = true`,
  )
  return row?.bytes ?? 0
}

const sizesOf = async ({ db, dataDir }: FillingStore, count: number): Promise<Sizes> => {
  let bytes = 0
  for (const part of ['rows', 'docs', 'blocks', 'details']) bytes += await bytesOf(db, `result~_${part}~_%`)
  return {
    resultBytes: bytes / count,
    rollupBytes: (await bytesOf(db, 'result~_rollups')) / count,
    fileBytes: (await stat(join(dataDir, 'watchpost.db'))).size,
  }
}

const onFullStore = async (b: Running, observation: Observation): Promise<AfterYear> => {
  const to = Date.now()
  const from = Math.floor(to / dayMs) * dayMs - days * dayMs
  const store = await storeToFill(b, from)
  const { db } = store
  const year = await fillYear(b, store, { from, to })
  const sizes = await sizesOf(store, year.count)
  b.say(JSON.stringify(sizes))
  await createChecks(db, idleChecks, (n) => monitor(`check ${n}`))
  const full = { db, controlPlane: await startFilled(b, store, {}) }
  const contents = await contentsOf(full, year)
  const measured = await measure(b, full, { contents, observation })
  await full.controlPlane.end('SIGTERM')
  await makeTurnDue(db)
  const shorter = { RETENTION_RESULTS_DAYS: String(days - daysToDelete) }
  const deletion = await watchDeletion(await startFilled(b, store, shorter))
  return { measured, deletion, sizes, year, questions: questionsOf(contents) }
}

const bareServer = async (b: Running): Promise<number> => {
  const bare = endsWith(b, startProgram('bench/support/target-program.ts', { args: ['bare'] }))
  const [, port] = await bare.line(/^port (\d+)$/)
  const keys = Array.from({ length: keyCount }, () => 'nobody')
  return readsPerCpuSecond({ pid: bare.pid, origin: `http://127.0.0.1:${port}`, path: '/' }, keys)
}

export const yearOfResults: Bench = {
  id: 'P16',
  name: 'p16-year',
  measures: `an empty store, and one with ${grouped(results)} results of a year (YEAR_ROWS; ${days} days, packed, counted, details of a week): what is taken in, asked, listed and deleted, and how long statements and the event loop take`,
  run: async (b) => {
    const observation = await observe(await plainTarget(b))
    const before = await onEmptyStore(b, observation)
    const after = await onFullStore(b, observation)
    return [
      ...storeRowsOf(before, after, await bareServer(b)),
      ...after.questions.map((question) => questionRow(question, before, after.measured)),
    ]
  },
}
