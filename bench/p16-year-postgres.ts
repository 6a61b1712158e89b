/** P16 on PostgreSQL: a store as large as the disk has room for, filled by the server itself and asked as any other. */
import { sql } from 'kysely'
import type { Database } from '../control-plane/platform/store/database/db.ts'
import { selectRows } from '../control-plane/platform/store/database/raw-sql.ts'
import type { Bench, Row, Running } from './bench.ts'
import { contentsOf, type FillingStore, keyCount, monitor, startFilled, storeToFill } from './p16-year.ts'
import { createKeys } from './support/api-keys.ts'
import { grouped, rounded } from './support/numbers.ts'
import { durablePostgres } from './support/postgres.ts'
import { createChecks } from './support/prepare.ts'
import { isSmall, sized } from './support/size.ts'
import { type Copied, cloneChecks } from './year/clone-checks.ts'
import { type FilledCheck, fillResults } from './year/fill-results.ts'
import { type Answered, askFor } from './year/measure.ts'
import { type Cadence, dayMs, days, mixOf } from './year/mix.ts'
import { type Question, questionsOf } from './year/questions.ts'
import { shown, type Year } from './year/rows.ts'

const results = Number(process.env['YEAR_ROWS'] ?? sized(100_000_000, 4000))

type Server = Awaited<ReturnType<typeof durablePostgres>>
type Filled = { year: Year; seconds: number; serverCpuUs: number; copied: number }

/** A hundred million take longer than a statement of ours may. */
const countOf = (db: Database, table: string): Promise<number> =>
  db.transaction(
    async (trx) => {
      const [row] = await selectRows<{ count: number }>(
        trx,
        sql`select count(*) as count from ${sql.table(table)}`,
      )
      return Number(row?.count ?? 0)
    },
    { unhurried: true },
  )

/** One check of each cadence by the control plane's own code, the others as copies of them. */
const fill = async (b: Running, { app, db, set }: FillingStore, server: Server): Promise<Filled> => {
  const to = Date.now()
  const from = Math.floor(to / dayMs) * dayMs - days * dayMs
  const create = (count: number, { everyMs }: Cadence) =>
    createChecks(db, count, (n) => monitor(`every ${everyMs / 1000} s, ${n}`))
  const cadences = mixOf(results)
  const checks: FilledCheck[] = []
  for (const cadence of cadences) {
    const [id = ''] = await create(1, cadence)
    checks.push({ id, everyMs: cadence.everyMs, from: to - cadence.days * dayMs })
  }
  let saidAt = performance.now()
  const progress = (done: number, all: number): void => {
    if (performance.now() - saidAt < 30_000) return
    saidAt = performance.now()
    b.say(`${grouped(done)} of ${grouped(all)}`)
  }
  const ofOriginals = checks.reduce((sum, { everyMs, from }) => sum + (to - from) / everyMs, 0)
  const count = await fillResults(
    app,
    { from, to, checks },
    { clock: { set }, progress: (done) => progress(done, ofOriginals) },
  )
  b.say(`${grouped(count)} results of ${checks.length} checks are in`)
  // Not before: what counts results asks each check there is about each hour of the year.
  const originals: Copied[] = []
  for (const [n, cadence] of cadences.entries()) {
    const copies = await create(Math.max(isSmall ? 2 : 1, cadence.checks) - 1, cadence)
    originals.push({ id: checks[n]?.id ?? '', copies })
  }
  const before = { at: performance.now(), cpu: server.cpuSeconds() }
  await cloneChecks(db, originals, progress)
  const seconds = (performance.now() - before.at) / 1000
  const cpu = server.cpuSeconds() - before.cpu
  // As autovacuum has done where rows came in over a year.
  await db.runAlone('analyze', { unhurried: true })
  const all = await countOf(db, 'result_rows')
  const copied = all - count
  return {
    year: { checks, from, to, count: all },
    seconds,
    serverCpuUs: (cpu * 1e6) / copied,
    copied,
  }
}

const bytesOf = async (db: Database): Promise<Record<string, number>> => {
  const rows = await selectRows<{ part: string; bytes: number }>(
    db,
    sql`select part, sum(pg_total_relation_size(oid)) as bytes
      from (select oid, substring(relname from '^result_(rows|docs|blocks|details|rollups)') as part from pg_class where relkind = 'r') of_parts
      where part is not null group by part`,
  )
  return Object.fromEntries(rows.map(({ part, bytes }) => [part, Number(bytes)]))
}

const rowOf = (row: Pick<Row, 'work' | 'ours' | 'goal' | 'met' | 'numbers'>): Row => ({
  name: 'P16 postgres',
  against: '',
  ratio: '',
  notes: [],
  ...row,
})

type Asked = { question: Question; answer: Answered | null; serverCpuMs: number }

const askedRow = ({ question: { name, goalMs }, answer, serverCpuMs }: Asked): Row =>
  rowOf({
    work: name,
    ours: `${shown(answer)}; PostgreSQL's CPU ${rounded(serverCpuMs, 1)} ms`,
    goal: `p99 ≤ ${goalMs} ms`,
    met: answer === null ? null : answer.p99Ms <= goalMs,
    numbers: { ...answer, serverCpuMs: rounded(serverCpuMs, 2) },
  })

export const yearOnPostgres: Bench = {
  id: 'P16P',
  name: 'p16-year-postgres',
  onRequest: true,
  measures: `a PostgreSQL with its settings as installed that has ${grouped(results)} results of a year (YEAR_ROWS; ${days} days, packed, counted), most of them copies that the server makes itself: how long that takes, bytes by part, and the questions of P16 with the CPU of both sides`,
  run: async (b) => {
    const server = await durablePostgres(b)
    const store = await storeToFill(b, Math.floor(Date.now() / dayMs) * dayMs - days * dayMs, server.url)
    const { year, seconds, serverCpuUs, copied } = await fill(b, store, server)
    const bytes = await bytesOf(store.db)
    const { rollups = 0, ...ofResults } = bytes
    const each = Object.values(ofResults).reduce((sum, of) => sum + of, 0) / year.count
    b.say(`${grouped(year.count)} results: ${JSON.stringify(bytes)}`)
    const controlPlane = await startFilled(b, store, { DATABASE_URL: server.url })
    const keys = await createKeys(store.db, keyCount)
    const asked: Asked[] = []
    for (const question of questionsOf(await contentsOf({ controlPlane, db: store.db }, year))) {
      const before = server.cpuSeconds()
      const answer = await askFor(controlPlane, question, keys)
      asked.push({
        question,
        answer,
        serverCpuMs: ((server.cpuSeconds() - before) * 1000) / question.requests,
      })
      b.say(`${question.name}: ${shown(answer)}`)
    }
    await controlPlane.end('SIGTERM')
    return [
      rowOf({
        work: `${grouped(copied)} of ${grouped(year.count)} results copied by the server`,
        ours: `${rounded(seconds)} s, ${grouped(copied / seconds)}/s, ${rounded(serverCpuUs, 1)} µs of PostgreSQL's CPU each`,
        goal: '–',
        met: null,
        numbers: {
          results: year.count,
          copied,
          seconds: rounded(seconds),
          serverCpuUs: rounded(serverCpuUs, 1),
        },
      }),
      rowOf({
        work: `bytes of each of ${grouped(year.count)} results`,
        ours: `${rounded(each)} B, rollups ${rounded(rollups / year.count)} B`,
        goal: '≤ 320 B',
        met: each <= 320,
        numbers: { ...bytes, resultBytes: rounded(each, 1), rollupBytes: rounded(rollups / year.count, 1) },
      }),
      ...asked.filter(({ answer }) => answer !== null).map(askedRow),
    ]
  },
}
