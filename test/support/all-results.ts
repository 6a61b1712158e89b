/** Every stored result, wherever it lies, in the order of ids. */
import { sql } from 'kysely'
import { findResultById } from '../../control-plane/monitoring/results/stored/find-results.ts'
import { allParts, endOfTime } from '../../control-plane/monitoring/results/stored/parts.ts'
import { firstInPart } from '../../control-plane/monitoring/results/stored/read-part.ts'
import type { Result, ResultWithDoc } from '../../control-plane/monitoring/results/stored/result.ts'
import type { Db } from '../../control-plane/platform/store/database/db.ts'
import { selectRows } from '../../control-plane/platform/store/database/raw-sql.ts'
import { tableOf } from '../../control-plane/platform/store/database/schema/period-tables.ts'

/** Without their documents; one that is in two parts is there twice. Parts that begin while they are read are there, too. */
export const allRows = async (db: Db): Promise<Result[]> => {
  const rows: Result[] = []
  // One by one: of a fast machine there are more than a call takes arguments.
  for (const part of await allParts(db))
    for (const row of await firstInPart(db, part, { after: '', before: endOfTime - 1, limit: 10_000_000 }))
      rows.push(row)
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1))
}

export const allResultIds = async (db: Db): Promise<string[]> => (await allRows(db)).map(({ id }) => id)

export const countRows = async (db: Db): Promise<number> => {
  let total = 0
  for (const part of await allParts(db)) {
    const rows = sql.table(tableOf('result_rows', part.suffix))
    const [row] = await selectRows<{ n: number }>(db, sql`select count(*) as n from ${rows}`)
    total += row?.n ?? 0
  }
  return total
}

/** With their documents, each found by its id. */
export const allResults = async (db: Db): Promise<ResultWithDoc[]> => {
  const results: ResultWithDoc[] = []
  for (const { id } of await allRows(db)) {
    const result = await findResultById(db, id)
    if (result === undefined) throw new Error(`The result ${id} is not found by its id`)
    results.push(result)
  }
  return results
}
