/** Every stored result with its document, wherever it lies, in the order of ids. */
import { sql } from 'kysely'
import type { Db } from '../../control-plane/platform/database/db.ts'
import { findResultById } from '../../control-plane/platform/results/find-results.ts'
import { partsWithStarts } from '../../control-plane/platform/results/parts.ts'
import { tableOf } from '../../control-plane/platform/results/period-tables.ts'
import { selectRows } from '../../control-plane/platform/results/raw-sql.ts'
import type { ResultWithDoc } from '../../control-plane/platform/results/result.ts'
import { idOf, type StoredId } from '../../control-plane/platform/results/small-row.ts'

/** Of all parts, also when one is in two of them. */
export const allResultIds = async (db: Db): Promise<string[]> => {
  const ids: string[] = []
  for (const part of await partsWithStarts(db, {})) {
    const table = part.layout === 'legacy' ? 'results' : tableOf('result_rows', part.suffix)
    const rows = await selectRows<{ id: StoredId }>(db, sql`select id from ${sql.table(table)}`)
    ids.push(...rows.map(({ id }) => (part.layout === 'legacy' ? String(id) : idOf(id))))
  }
  return ids.sort()
}

export const allResults = async (db: Db): Promise<ResultWithDoc[]> => {
  const results: ResultWithDoc[] = []
  for (const id of await allResultIds(db)) {
    const result = await findResultById(db, id)
    if (result === undefined) throw new Error(`The result ${id} is not found by its id`)
    results.push(result)
  }
  return results
}
