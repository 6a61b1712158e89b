/** A result that outlives its period: copied, so that its period can go whole. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/store/database/db.ts'
import { selectRows } from '../../../platform/store/database/raw-sql.ts'
import { insertKept } from './insert-results.ts'
import type { ResultWithDoc } from './result.ts'
import { storedId } from './small-row.ts'

/** Once, however often it is asked for. */
export const keepResult = async (trx: Db, result: ResultWithDoc): Promise<void> => {
  const id = storedId(trx.engine, result.id)
  const there = await selectRows(trx, sql`select 1 as one from result_rows_kept where id = ${id}`)
  if (there.length === 0) await insertKept(trx, result)
}
