/**
 * More checks with the history of others, made by PostgreSQL itself from partition to partition: a hundred million results in the time that
 * the disk takes. A copy has its own ids: the four digits before the last eight, by which blocks name their documents, are the copy's.
 */
import { sql } from 'kysely'
import { nextNumber } from '../../control-plane/platform/store/database/counters.ts'
import type { Database, Db } from '../../control-plane/platform/store/database/db.ts'
import { change, selectRows } from '../../control-plane/platform/store/database/raw-sql.ts'
import { tableOf } from '../../control-plane/platform/store/database/schema/period-tables.ts'
import { accountId } from '../../test/support/programs.ts'

export type Copied = { id: string; copies: readonly string[] }

/** The upper half of what four digits say is the originals' (fill-results.ts). */
const mostCopies = 0x7fff

const makeNumbers = async (trx: Db, originals: readonly Copied[]): Promise<void> => {
  await change(
    trx,
    sql`create table bench_copies (original_n integer, original_rollups integer, n integer, rollups integer, copy text)`,
  )
  let copy = 0
  for (const { id, copies } of originals) {
    const [known] = await selectRows<{ n: number; rollups: number }>(
      trx,
      sql`select c.n, r.number as rollups from check_numbers c join rollup_checks r on r.check_id = c.check_id where c.check_id = ${id}`,
    )
    if (known === undefined) throw new Error(`${id} has no results that are counted`)
    for (const checkId of copies) {
      copy += 1
      const n = await nextNumber(trx, 'check-number')
      const rollups = await nextNumber(trx, 'rollup-check')
      await change(
        trx,
        sql`insert into check_numbers (n, check_id, account_id, check_type) values (${n}, ${checkId}, ${accountId}, 'URL') on conflict (check_id) do nothing`,
      )
      await change(trx, sql`insert into rollup_checks (check_id, number) values (${checkId}, ${rollups})`)
      const digits = copy.toString(16).padStart(4, '0')
      await change(
        trx,
        sql`insert into bench_copies select cast(${known.n} as integer), cast(${known.rollups} as integer), n, cast(${rollups} as integer), ${digits} from check_numbers where check_id = ${checkId}`,
      )
    }
  }
  if (copy > mostCopies) throw new Error(`${copy} copies are more than ids tell apart`)
}

const idOfCopy = (column: string) =>
  sql`cast(left(cast(o.${sql.ref(column)} as text), 24) || c.copy || right(cast(o.${sql.ref(column)} as text), 8) as uuid)`

type BlockTable = 'result_blocks' | 'result_details'

/** Columns of each table: those that are the copy's own, and the others as they are. */
const statements = (suffix: string, blocks: readonly BlockTable[]) => {
  const from = (table: 'result_rows' | 'result_docs' | 'result_blocks' | 'result_details') =>
    sql`from ${sql.table(tableOf(table, suffix))} o join bench_copies c on c.original_n = o.check_n`
  const into = (table: 'result_rows' | 'result_docs' | 'result_blocks' | 'result_details') =>
    sql`insert into ${sql.table(tableOf(table, suffix))}`
  return [
    sql`${into('result_rows')} (id, started_at, due_ms, run_ms, late_ms, check_run_ms, check_n, location_n, flags, attempts, response_time, sequence_id)
      select ${idOfCopy('id')}, o.started_at, o.due_ms, o.run_ms, o.late_ms, o.check_run_ms, c.n, o.location_n, o.flags, o.attempts, o.response_time, cast('' as bytea)
      ${from('result_rows')} order by o.id`,
    sql`${into('result_docs')} (id, check_n, packable, doc)
      select ${idOfCopy('id')}, c.n, o.packable, o.doc ${from('result_docs')}`,
    ...blocks.map(
      (table) => sql`${into(table)} (check_n, first_id, last_id, base_id, ids, block)
        select c.n, ${idOfCopy('first_id')}, ${idOfCopy('last_id')}, ${idOfCopy('base_id')}, o.ids, o.block ${from(table)}`,
    ),
  ]
}

/** `progress` is told of each day, and of each check whose rollups are there. */
export const cloneChecks = async (
  db: Database,
  originals: readonly Copied[],
  progress: (done: number, all: number) => void,
): Promise<void> => {
  await db.transaction((trx) => makeNumbers(trx, originals), { unhurried: true })
  const periods = await selectRows<{ n: number; has_details: number }>(
    db,
    sql`select n, has_details from result_periods order by from_at`,
  )
  for (const [at, { n, has_details }] of periods.entries()) {
    // Those of more than a week ago have ended while the originals were filled.
    const blocks: BlockTable[] = has_details === 1 ? ['result_blocks', 'result_details'] : ['result_blocks']
    for (const statement of statements(`_${n}`, blocks))
      await db.transaction((trx) => change(trx, statement), { unhurried: true })
    progress(at + 1, periods.length)
  }
  await cloneRollups(db, progress)
  await change(db, sql`drop table bench_copies`)
}

/**
 * Check by check, in the order of their key: in that of the originals' rows each insert fell upon another page of the index, and the
 * server read and wrote 13 KB of pages for a row of 200 bytes.
 */
const cloneRollups = async (db: Database, progress: (done: number, all: number) => void): Promise<void> => {
  const copies = await selectRows<{ rollups: number }>(
    db,
    sql`select rollups from bench_copies order by rollups`,
  )
  for (const [at, { rollups }] of copies.entries()) {
    await db.transaction(
      (trx) =>
        change(
          trx,
          sql`insert into result_rollups (check_number, minutes, series, start_at, cells)
            select c.rollups, o.minutes, o.series, o.start_at, o.cells from result_rollups o join bench_copies c on c.original_rollups = o.check_number
            where c.rollups = ${rollups} order by o.minutes, o.series, o.start_at`,
        ),
      { unhurried: true },
    )
    progress(at + 1, copies.length)
  }
}
