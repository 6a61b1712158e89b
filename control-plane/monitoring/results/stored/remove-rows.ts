/** Results that end one by one: those of a removed check, and what was kept beyond its period. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/store/database/db.ts'
import { change, selectRows } from '../../../platform/store/database/raw-sql.ts'
import { resultTables, tableOf } from '../../../platform/store/database/schema/period-tables.ts'
import { checkNumber, deleteCheckNumber } from '../../definitions/checks/check-numbers.ts'
import { hasOneOf } from './documents.ts'
import { allParts, type Part, retained } from './parts.ts'
import { idOf, type StoredId } from './small-row.ts'

type OfCheck = { checkId: string; limit: number }

/** Some results of a check, wherever they are; how many went. */
export const removeSomeOfCheck = async (trx: Db, of: OfCheck): Promise<number> => {
  const check = await trx.get(checkNumber, { checkId: of.checkId })
  if (check === undefined) return 0
  for (const part of await allParts(trx)) {
    const removed = await removeFromPart(trx, part, { n: check.n, limit: of.limit })
    if (removed > 0) return removed
  }
  return 0
}

const removeFromPart = async (
  trx: Db,
  part: Part,
  { n, limit }: { n: number; limit: number },
): Promise<number> => {
  const rows = tableOf('result_rows', part.suffix)
  const found = await selectRows<{ id: StoredId }>(
    trx,
    sql`select id from ${sql.table(rows)} where check_n = ${n} limit ${limit}`,
  )
  if (found.length > 0)
    return removeIds(
      trx,
      part,
      found.map(({ id }) => idOf(id)),
    )
  if (part.suffix === retained.suffix) return 0
  let blocks = 0
  for (const table of resultTables)
    if ((table === 'result_details' && part.hasDetails) || table === 'result_blocks') {
      const name = sql.table(tableOf(table, part.suffix))
      blocks += await change(
        trx,
        sql`delete from ${name} where check_n = ${n} and first_id in
          (select first_id from ${name} where check_n = ${n} limit ${limit})`,
      )
    }
  return blocks
}

/** Rows and what is theirs alone; how many rows went. */
export const removeIds = async (trx: Db, part: Part, ids: readonly string[]): Promise<number> => {
  if (ids.length === 0) return 0
  await change(
    trx,
    sql`delete from ${sql.table(tableOf('result_docs', part.suffix))} where ${hasOneOf(trx, ids)}`,
  )
  return change(
    trx,
    sql`delete from ${sql.table(tableOf('result_rows', part.suffix))} where ${hasOneOf(trx, ids)}`,
  )
}

/** When nothing of the check is left. */
export const forgetCheckNumber = (trx: Db, checkId: string): Promise<number> =>
  trx.run(deleteCheckNumber, { checkId })
