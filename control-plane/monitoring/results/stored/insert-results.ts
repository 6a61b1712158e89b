/** New results, which nobody writes in another way: the rows of a batch and their documents, each in the period that its id was made in. */
import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { boundedMemo } from '../../../../protocol/bounded-memo.ts'
import { builderFor } from '../../../platform/store/database/builder.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import type { Engine } from '../../../platform/store/database/engines.ts'
import { query } from '../../../platform/store/database/query.ts'
import { selectRows } from '../../../platform/store/database/raw-sql.ts'
import { tableOf } from '../../../platform/store/database/schema/period-tables.ts'
import type { ResultPeriodsTable } from '../../../platform/store/database/tables/results.ts'
import { type NumberedCheck, numberChecks, numbersOfChecks } from '../../definitions/checks/check-numbers.ts'
import { numberLocations } from './numbers.ts'
import { instantOfId, periodsOfIds, suffixOf } from './parts.ts'
import type { ResultWithDoc } from './result.ts'
import { rowColumns, storedId, valuesOf } from './small-row.ts'

/** An id whose period is gone, or not there yet, is kept beside the periods: what was accepted is never lost. */
const retainedSuffix = '_retained'

/** Results with their documents. What passed, or is followed by another attempt, may be packed with others later. */
export const insertResults = async (trx: Db, results: readonly ResultWithDoc[]): Promise<void> => {
  if (results.length === 0) return
  const numbers = await numbersOf(trx, results)
  const periods = await periodsOfIds(
    trx,
    results.map(({ id }) => id),
  )
  const byPeriod = Map.groupBy(results, ({ id }) => periodOf(periods, id))
  // In the order of time: two batches at midnight would wait for each other.
  for (const period of [...periods, undefined]) {
    const own = byPeriod.get(period)
    if (own === undefined) continue
    const suffix = period === undefined ? retainedSuffix : suffixOf(trx.engine, period)
    await insertAll(trx, suffix, rowsOf(trx.engine, own, numbers))
    if (period !== undefined) await (trx.engine.partitions ? widenPeriod : growPeriod)(trx, period, own)
  }
}

/** Beside the periods. */
const insertKept = async (trx: Db, result: ResultWithDoc): Promise<void> =>
  insertAll(trx, retainedSuffix, rowsOf(trx.engine, [result], await numbersOf(trx, [result])))

type Numbers = { checks: ReadonlyMap<string, number>; locations: ReadonlyMap<string, number> }

const numbersOf = async (trx: Db, results: readonly ResultWithDoc[]): Promise<Numbers> => ({
  checks: await checkNumbersOf(trx, new Map(results.map((one) => [one.check_id, one]))),
  locations: await numberLocations(trx, [...new Set(results.map(({ location }) => location))]),
})

const checkNumbersOf = async (
  trx: Db,
  checks: ReadonlyMap<string, NumberedCheck>,
): Promise<Map<string, number>> => {
  const numbers = new Map<string, number>()
  const read = async (ids: readonly string[]): Promise<void> => {
    for (const { n, check_id } of await trx.all(numbersOfChecks, { ids })) numbers.set(check_id, n)
  }
  await read([...checks.keys()])
  // Results that a store is filled with may come without their checks.
  const missing = [...checks.values()].filter(({ check_id }) => !numbers.has(check_id))
  if (missing.length === 0) return numbers
  await numberChecks(trx, missing)
  await read(missing.map(({ check_id }) => check_id))
  return numbers
}

const rowsOf = (
  engine: Engine,
  results: readonly ResultWithDoc[],
  { checks, locations }: Numbers,
): NewRow[] =>
  results.map((result) => {
    const checkN = numberIn(checks, result.check_id)
    return {
      values: valuesOf(engine, result, { checkN, locationN: numberIn(locations, result.location) }),
      document: [storedId(engine, result.id), checkN, isPackable(result) ? 1 : 0, result.doc],
    }
  })

const numberIn = (numbers: ReadonlyMap<string, number>, name: string): number => {
  const n = numbers.get(name)
  if (n === undefined) throw new Error(`There is no number for ${name}`)
  return n
}

const periodOf = (periods: readonly ResultPeriodsTable[], id: string): ResultPeriodsTable | undefined => {
  const at = instantOfId(id)
  return periods.find(({ from_at, to_at, closed }) => from_at <= at && at < to_at && closed === 0)
}

const isPackable = ({ result_type, has_failures, has_errors }: ResultWithDoc): boolean =>
  result_type === 'ATTEMPT' || !(has_failures || has_errors)

type NewRow = { values: unknown[]; document: unknown[] }

/** One row a statement is cheapest where a statement is a function call; where it is a round trip, a statement has all of them. */
const insertAll = async (trx: Db, suffix: string, rows: readonly NewRow[]): Promise<void> => {
  if (!trx.engine.roundTrips) {
    const [row, document] = insertsInto(suffix)
    for (const { values, document: own } of rows) {
      await trx.run(row, { ...values })
      await trx.run(document, { ...own })
    }
    return
  }
  const [row, document] = listInsertsInto(suffix)
  await trx.run(row, arraysOf(rows.map(({ values }) => values)))
  await trx.run(document, arraysOf(rows.map(({ document: own }) => own)))
}

/** The columns of rows, each as one text: of numbers and ids an array, of documents lines, since JSON has no line breaks of its own. */
const arraysOf = (rows: readonly unknown[][]): Values => {
  const [first = []] = rows
  return Object.fromEntries(
    first.map((_, n) => {
      const column = rows.map((row) => row[n])
      const isText = n === docColumn && first.length === documentColumns.length
      return [n, isText ? column.join('\n') : `{${column.map(elementOf).join()}}`]
    }),
  )
}

const elementOf = (value: unknown): unknown =>
  Buffer.isBuffer(value) ? `"${value.length === 0 ? '' : `\\\\x${value.toString('hex')}`}"` : value

const documentColumns = ['id', 'check_n', 'packable', 'doc'] as const
const docColumn = documentColumns.indexOf('doc')

const raw = (statement: RawBuilder<unknown>, engine: Engine) => ({
  compile: () => statement.compile(builderFor(engine)) as CompiledQuery<unknown>,
})

type Values = Record<number, unknown>

const insertOne = (table: string, columns: readonly string[]) =>
  query<Values, unknown>(`insert-into-${table}`, (_, p, engine) =>
    raw(sql`insert into ${sql.table(table)} values (${sql.join(columns.map((_, n) => p[n]))})`, engine),
  )

const insertsInto = boundedMemo(
  (suffix) =>
    [
      insertOne(tableOf('result_rows', suffix), rowColumns),
      insertOne(tableOf('result_docs', suffix), documentColumns),
    ] as const,
  { limit: 100 },
)

const insertMany = (table: string, columns: Readonly<Record<string, string>>) =>
  query<Values, unknown>(`insert-into-${table}`, (_, p, engine) => {
    const lists = Object.values(columns).map((type, n) =>
      type === 'text'
        ? sql`string_to_array(cast(${p[n]} as text), E'\\n')`
        : sql`cast(${p[n]} as ${sql.raw(type)}[])`,
    )
    return raw(
      sql`insert into ${sql.table(table)} (${sql.join(Object.keys(columns).map((name) => sql.ref(name)))})
        select * from unnest(${sql.join(lists)})`,
      engine,
    )
  })

const numbered = (columns: readonly string[]): Record<string, string> =>
  Object.fromEntries(columns.map((name) => [name, types[name] ?? 'bigint']))

const types: Readonly<Record<string, string>> = {
  id: 'uuid',
  sequence_id: 'bytea',
  response_time: 'double precision',
  check_n: 'integer',
  location_n: 'integer',
  flags: 'smallint',
  attempts: 'smallint',
  packable: 'integer',
  doc: 'text',
}

const listInsertsInto = boundedMemo(
  (suffix) =>
    [
      insertMany(tableOf('result_rows', suffix), numbered(rowColumns)),
      insertMany(tableOf('result_docs', suffix), numbered(documentColumns)),
    ] as const,
  { limit: 10 },
)

type Growth = { n: number; oldest: number; newest: number; count: number }

const growPeriodBy = query('grow-result-period', (k, p: Growth) =>
  k
    .updateTable('result_periods')
    .set({
      oldest_at: sql<number>`case when oldest_at < ${p.oldest} then oldest_at else ${p.oldest} end`,
      newest_at: sql<number>`case when newest_at > ${p.newest} then newest_at else ${p.newest} end`,
      results: sql<number>`results + ${p.count}`,
    })
    .where('n', '=', p.n),
)

const startsOf = (results: readonly ResultWithDoc[]): { oldest: number; newest: number } => {
  const starts = results.map(({ started_at }) => started_at)
  return {
    oldest: starts.reduce((a, b) => Math.min(a, b)),
    newest: starts.reduce((a, b) => Math.max(a, b)),
  }
}

const growPeriod = async (
  trx: Db,
  { n }: ResultPeriodsTable,
  results: readonly ResultWithDoc[],
): Promise<void> => {
  await trx.run(growPeriodBy, { n, ...startsOf(results), count: results.length })
}

type Width = { n: number; oldest: number; newest: number }

const widenPeriodTo = query('widen-result-period', (k, p: Width) =>
  k
    .updateTable('result_periods')
    .set({
      oldest_at: sql<number>`least(oldest_at, ${p.oldest})`,
      newest_at: sql<number>`greatest(newest_at, ${p.newest})`,
    })
    .where('n', '=', p.n),
)

const hourMs = 3_600_000

const startsOfPeriod = query('starts-of-result-period', (k, p: { n: number }) =>
  k.selectFrom('result_periods').select(['oldest_at', 'newest_at']).where('n', '=', p.n),
)

/**
 * A partition says when its runs started by whole hours, and as its own time when it is made: hardly a batch has to change that, so
 * that batches do not wait for each other. One of before it said so says nothing, and is always asked, until it is looked up
 * (partition-starts.ts): perhaps since the batch began.
 */
const widenPeriod = async (
  trx: Db,
  period: ResultPeriodsTable,
  results: readonly ResultWithDoc[],
): Promise<void> => {
  const { n } = period
  const said = period.newest_at === null ? await trx.get(startsOfPeriod, { n }) : period
  const { oldest, newest } = startsOf(results)
  if (oldest < (said?.oldest_at ?? 0) || newest > (said?.newest_at ?? newest))
    await trx.run(widenPeriodTo, {
      n,
      oldest: Math.floor(oldest / hourMs) * hourMs,
      newest: Math.ceil(newest / hourMs) * hourMs,
    })
}

/** A result that outlives its period: copied once, however often it is asked for, so that its period can go whole. */
export const keepResult = async (trx: Db, result: ResultWithDoc): Promise<void> => {
  const id = storedId(trx.engine, result.id)
  const there = await selectRows(trx, sql`select 1 as one from result_rows_retained where id = ${id}`)
  if (there.length === 0) await insertKept(trx, result)
}
