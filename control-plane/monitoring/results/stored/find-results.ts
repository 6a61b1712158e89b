/** Results by their ids alone, and changes of one. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/store/database/db.ts'
import { change, selectRows } from '../../../platform/store/database/raw-sql.ts'
import { tableOf } from '../../../platform/store/database/schema/period-tables.ts'
import { checkNumber } from '../../definitions/checks/check-numbers.ts'
import { hasOneOf, withDocuments } from './documents.ts'
import { allParts, partsWithId, periodsOfIds } from './parts.ts'
import { findInPart, newestInPart } from './read-part.ts'
import type { Result, ResultWithDoc } from './result.ts'
import { flags, idOf, type StoredId, storedId } from './small-row.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const findResultById = async (db: Db, id: string): Promise<ResultWithDoc | undefined> => {
  if (!uuid.test(id)) return undefined
  for (const part of await partsWithId(db, id)) {
    const row = await findInPart(db, part, id)
    if (row === undefined) continue
    const check = await db.get(checkNumber, { checkId: row.check_id })
    const [result] = await withDocuments(db, { part, checkN: check?.n ?? 0, kind: 'whole' }, [row])
    return result
  }
  return undefined
}

/** Which of them are stored. */
export const storedResultIds = async (db: Db, named: readonly string[]): Promise<Set<string>> => {
  // Agents may name anything; PostgreSQL would not even compare it.
  const ids = named.filter((id) => uuid.test(id))
  if (ids.length === 0) return new Set()
  const periods = !db.engine.partitions ? await periodsOfIds(db, ids) : []
  const suffixes = !db.engine.partitions ? periods.map(({ n }) => `_${n}`) : ['']
  const found = new Set<string>()
  for (const suffix of [...suffixes, '_retained']) {
    const table = sql.table(tableOf('result_rows', suffix))
    const rows = await selectRows<{ id: StoredId }>(
      db,
      sql`select id from ${table} where ${hasOneOf(db, ids)}`,
    )
    for (const { id } of rows) found.add(idOf(id))
  }
  return found
}

type FinalAttempt = { id: string; doc: string }

/** An attempt that no other follows is its run's final result after all. */
export const makeAttemptFinal = async (trx: Db, { id, doc }: FinalAttempt): Promise<void> => {
  for (const part of await partsWithId(trx, id)) {
    const row = await findInPart(trx, part, id)
    if (row === undefined) continue
    const stored = storedId(trx.engine, id)
    const rows = sql.table(tableOf('result_rows', part.suffix))
    await change(trx, sql`update ${rows} set flags = flags & ${sql.lit(~flags.attempt)} where id = ${stored}`)
    // Alone from now on, whether it was packed or not: it is looked for there first.
    const check = await trx.get(checkNumber, { checkId: row.check_id })
    await change(
      trx,
      sql`insert into ${sql.table(tableOf('result_docs', part.suffix))} (id, check_n, packable, doc)
        values (${stored}, ${check?.n ?? 0}, 0, ${doc})
        on conflict (id) do update set doc = excluded.doc, packable = 0`,
    )
    return
  }
}

/** What came in last, about: a batch has no order. */
export const newestResult = async (db: Db): Promise<Result | undefined> => {
  let newest: Result | undefined
  for (const part of await allParts(db)) {
    const found = await newestInPart(db, part.suffix)
    if (found !== undefined && (newest === undefined || found.id > newest.id)) newest = found
  }
  return newest
}
