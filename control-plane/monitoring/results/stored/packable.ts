/** Documents that lie alone and may be packed with others of their check, or shortened when their time is over. */
import { type RawBuilder, sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database, Db } from '../../../platform/store/database/db.ts'
import { query } from '../../../platform/store/database/query.ts'
import { change, selectRows } from '../../../platform/store/database/raw-sql.ts'
import { type ResultTable, tableOf } from '../../../platform/store/database/schema/period-tables.ts'
import type {
  CheckNumbersTable,
  ResultPeriodsTable,
} from '../../../platform/store/database/tables/results.ts'
import { firstIdAt } from '../../../platform/words/uuid.ts'
import { firstDocument, packDocuments } from './blocks.ts'
import { hasOneOf } from './documents.ts'
import { suffixOf } from './parts.ts'
import { idOf, type StoredId, storedId } from './small-row.ts'

export const checkOfNumber = query('check-of-number', (k, p: { n: number }) =>
  k.selectFrom('check_numbers').selectAll().where('n', '=', p.n),
)

/** The next period in which documents made before an instant were not looked at. */
export const unpackedPeriod = query('unpacked-result-period', (k, p: { before: number }) =>
  k
    .selectFrom('result_periods')
    .selectAll()
    .whereRef('packed_until', '<', 'to_at')
    .where('packed_until', '<', p.before)
    .where('closed', '=', 0)
    .orderBy('from_at')
    .limit(1),
)

export const savePackedUntil = query('save-packed-until', (k, p: { n: number; at: number }) =>
  k
    .updateTable('result_periods')
    .set({ packed_until: p.at })
    .where('n', '=', p.n)
    .where('packed_until', '<', p.at),
)

type PackableDocument = { id: string; checkN: number }

type Range = { after: string; from: number; to: number; limit: number }

/** Which documents were made in a range of time, in the order of their ids; `last`: where the next page begins. */
export const packableIds = async (
  db: Db,
  period: ResultPeriodsTable,
  { after, from, to, limit }: Range,
): Promise<{ found: PackableDocument[]; last: string | null }> => {
  const table = sql.table(tableOf('result_docs', suffixOf(db.engine, period)))
  const begin =
    after === ''
      ? sql`id >= ${storedId(db.engine, firstIdAt(from))}`
      : sql`id > ${storedId(db.engine, after)}`
  const rows = await selectRows<{ id: StoredId; check_n: number; packable: number }>(
    db,
    sql`select id, check_n, packable from ${table}
      where ${begin} and id < ${storedId(db.engine, firstIdAt(to))} order by id limit ${limit}`,
  )
  const last = rows.at(-1)
  return {
    found: rows.flatMap(({ id, check_n, packable }) =>
      packable === 1 ? [{ id: idOf(id), checkN: check_n }] : [],
    ),
    last: rows.length < limit || last === undefined ? null : idOf(last.id),
  }
}

type AloneDocument = { id: string; doc: string }

/** Another control plane that packs at the same time would put them into a second block. What it holds is its own to pack. */
const forNobodyElse = ({ engine }: Db): RawBuilder<unknown> => {
  if (!engine.rowLocks) return sql``
  return engine.skipLocked ? sql` for update skip locked` : sql` for update`
}

const aloneAgain = async (
  trx: Db,
  period: ResultPeriodsTable,
  ids: readonly string[],
): Promise<AloneDocument[]> => {
  const table = sql.table(tableOf('result_docs', suffixOf(trx.engine, period)))
  const rows = await selectRows<{ id: StoredId; doc: string }>(
    trx,
    sql`select id, doc from ${table} where packable = 1 and ${hasOneOf(trx, ids)} order by id${forNobodyElse(trx)}`,
  )
  return rows.map(({ id, doc }) => ({ id: idOf(id), doc }))
}

type Packing = {
  period: ResultPeriodsTable
  check: CheckNumbersTable
  ids: readonly string[]
  /** What stays of a document when the time of details is over. */
  shorten(type: string, doc: string): string
}

/** In one transaction: the documents are alone or in a block, never neither. How many were packed. */
export const packTogether = async (trx: Db, { period, check, ids, shorten }: Packing): Promise<number> => {
  const alone = withoutDoubles(await aloneAgain(trx, period, ids))
  if (alone.length < 2) return 0
  const found = alone.map(({ id }) => id)
  const suffix = suffixOf(trx.engine, period)
  const docs = alone.map(({ doc }) => doc)
  const block = { suffix, period, n: check.n, ids: found }
  await insertBlock(trx, 'result_blocks', {
    ...block,
    docs: docs.map((doc) => shorten(check.check_type, doc)),
  })
  if (period.has_details === 1) await insertBlock(trx, 'result_details', { ...block, docs })
  const table = sql.table(tableOf('result_docs', suffix))
  await change(trx, sql`delete from ${table} where packable = 1 and ${hasOneOf(trx, found)}`)
  return found.length
}

/** Two ids with the same end could not be told apart in a block: the second stays alone. */
const withoutDoubles = (alone: AloneDocument[]): AloneDocument[] =>
  [...new Map(alone.toReversed().map((one) => [one.id.slice(-8), one])).values()].toReversed()

type NewBlock = {
  suffix: string
  period: ResultPeriodsTable
  n: number
  ids: readonly string[]
  docs: readonly string[]
}

const insertBlock = async (trx: Db, table: ResultTable, block: NewBlock): Promise<void> => {
  const { suffix, n, ids, docs } = block
  const base = await baseOf(trx, table, block)
  const packed = packDocuments(ids, docs, base === undefined ? null : firstDocument(base))
  const [first = '', last = ''] = [ids[0], ids.at(-1)]
  await change(
    trx,
    sql`insert into ${sql.table(tableOf(table, suffix))} (check_n, first_id, last_id, base_id, ids, block)
      values (${n}, ${storedId(trx.engine, first)}, ${storedId(trx.engine, last)}, ${base?.first_id ?? null},
        ${packed.ids}, ${packed.block})`,
  )
}

/** The first block of the check in the period: it goes with the period, as all that are packed beside it. */
const baseOf = async (
  trx: Db,
  table: ResultTable,
  { suffix, period, n }: NewBlock,
): Promise<{ first_id: StoredId; block: Buffer } | undefined> => {
  const [from, to] = [period.from_at, period.to_at].map((at) => storedId(trx.engine, firstIdAt(at)))
  const [base] = await selectRows<{ first_id: StoredId; block: Buffer }>(
    trx,
    sql`select first_id, block from ${sql.table(tableOf(table, suffix))}
      where check_n = ${n} and first_id >= ${from} and first_id < ${to} and base_id is null order by first_id limit 1`,
  )
  return base
}

/** More are left where they are: nobody waits for so many to be written. */
const mostToMove = 20_000

/**
 * Once all of a period is packed. PostgreSQL takes no pages of an index back, and few of a table, though hardly a row is left: those
 * few are written anew. Whoever asks for a document of the period waits meanwhile.
 */
export const writeAnew = async (db: Database, { n }: ResultPeriodsTable): Promise<void> => {
  if (!db.engine.partitions) return
  const table = sql.table(tableOf('result_docs', `_${n}`))
  await db.transaction(async (trx) => {
    const left = await selectRows<{ one: number }>(
      trx,
      sql`select 1 as one from ${table} limit ${mostToMove + 1}`,
    )
    if (left.length > mostToMove) return
    await change(trx, sql`lock table ${table} in access exclusive mode`)
    await change(trx, sql`create temporary table staying on commit drop as select * from ${table}`)
    await change(trx, sql`truncate ${table}`)
    await change(trx, sql`insert into ${table} select * from staying`)
  })
}

/**
 * What grew in the order of checks has pages that are half full: it is built anew once nothing more comes, beside readers and writers.
 * What stands in its way leaves it as it is.
 */
export const buildIndexAnew = async (
  { db, log }: { db: Database; log: Logger },
  { n }: ResultPeriodsTable,
): Promise<void> => {
  if (!db.engine.partitions) return
  const table = tableOf('result_rows', `_${n}`)
  const ofTable = sql`from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = to_regclass(${table})`
  const [index] = await selectRows<{ name: string }>(
    db,
    sql`select c.relname as name ${ofTable} and i.indisvalid and not i.indisprimary and i.indpred is null`,
  )
  if (index === undefined) return
  try {
    await db.runAlone(`reindex index concurrently ${index.name}`, { unhurried: true })
  } catch (error) {
    log.warn(
      { index: index.name, error: (error as Error).message },
      'An index of results that are over stays as large as it grew',
    )
  }
  // What a build that was ended has left is kept up with each write, and read by nobody.
  const left = await selectRows<{ name: string }>(
    db,
    sql`select c.relname as name ${ofTable} and not i.indisvalid`,
  )
  for (const { name } of left) await change(db, sql`drop index if exists ${sql.ref(name)}`)
}

type Shortening = { suffix: string; after: string; before: number; limit: number }

/** Documents that stayed alone, in the order of their ids. */
export const alonePackable = async (
  trx: Db,
  { suffix, after, before, limit }: Shortening,
): Promise<{ rows: (AloneDocument & { type: string })[]; last: string | null }> => {
  const table = sql.table(tableOf('result_docs', suffix))
  const behind = after === '' ? sql`` : sql`and d.id > ${storedId(trx.engine, after)}`
  const rows = await selectRows<{ id: StoredId; doc: string; type: string; packable: number }>(
    trx,
    sql`select d.id, d.packable, case when d.packable = 1 then d.doc else '' end as doc, c.check_type as type
      from ${table} d join check_numbers c on c.n = d.check_n
      where d.id < ${storedId(trx.engine, firstIdAt(before))} ${behind} order by d.id limit ${limit}`,
  )
  const last = rows.at(-1)
  return {
    rows: rows.flatMap(({ id, doc, type, packable }) =>
      packable === 1 ? [{ id: idOf(id), doc, type }] : [],
    ),
    last: rows.length < limit || last === undefined ? null : idOf(last.id),
  }
}

export const replaceAlone = (trx: Db, suffix: string, { id, doc }: AloneDocument): Promise<number> =>
  change(
    trx,
    sql`update ${sql.table(tableOf('result_docs', suffix))} set doc = ${doc}, packable = 0
      where id = ${storedId(trx.engine, id)}`,
  )
