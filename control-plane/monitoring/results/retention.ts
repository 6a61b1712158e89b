import { inStages, type RetentionKind } from '../../platform/retention/retention-kind.ts'
import type { Db } from '../../platform/store/database/db.ts'
import {
  type AlsoRetained,
  endedPeriods,
  endPeriods,
  expireFilesOf,
  type IsPeriodReady,
  rowsInPeriods,
} from './period-retention.ts'
import { resultsEnd } from './raw-since.ts'
import { dropEndedTables } from './stored/drop-periods.ts'
import { someResults } from './stored/list-results.ts'
import { allParts, retained } from './stored/parts.ts'
import { firstInPart, oldestInPart } from './stored/read-part.ts'
import { removeIds } from './stored/remove-rows.ts'
import type { Result } from './stored/result.ts'

type Exceptions = {
  alsoRetained: AlsoRetained
  isPeriodReady: IsPeriodReady
  /** Whether something else needs one result for now. */
  isHeld(db: Db, result: Result): Promise<boolean>
}

export const resultsKind = ({ alsoRetained, isPeriodReady, isHeld }: Exceptions): RetentionKind => ({
  name: 'results',
  table: 'result_docs_retained',
  setting: 'results',
  makesRoom: true,
  piece: inStages(endPeriods({ alsoRetained, isPeriodReady }), endRest({ alsoRetained, isHeld })),
  count: async (db, { before, limit }) =>
    Math.min(limit, await rowsInPeriods(db, await endedPeriods(db, before))),
  oldestAt,
  afterWalk: dropEndedTables,
})

const oldestAt = async (db: Db): Promise<number | null> => {
  const instants: number[] = []
  for (const part of await allParts(db)) {
    const at = await oldestInPart(db, part)
    if (at !== null) instants.push(at)
  }
  return instants.length === 0 ? null : Math.min(...instants)
}

/** A row costs a few statements. */
const rowsAtOnce = (size: number): number => Math.max(10, Math.floor(size / 10))

/** What stayed beyond its time, once nothing keeps it any more. */
const endRest =
  ({ alsoRetained, isHeld }: Pick<Exceptions, 'alsoRetained' | 'isHeld'>): RetentionKind['piece'] =>
  async (trx, { before, now, after, size }) => {
    const limit = rowsAtOnce(size)
    const rows = await firstInPart(trx, retained, { after, before, limit })
    const over: Result[] = []
    for (const row of rows)
      if (row.created_at < before && !(await isRetained(trx, row, alsoRetained)) && !(await isHeld(trx, row)))
        over.push(row)
    const ids = over.map(({ id }) => id)
    await expireFilesOf(trx, ids, now)
    const removed = await removeIds(trx, retained, ids)
    if (over.length > 0) await resultsEnd(trx, Math.max(...over.map(({ started_at }) => started_at)))
    return { rows: removed, next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) }
  }

const isRetained = async (db: Db, row: Result, alsoRetained: AlsoRetained): Promise<boolean> => {
  if (row.result_type !== 'FINAL') return false
  const filter = { resultType: 'FINAL' } as const
  const later = {
    checkId: row.check_id,
    direction: 'newest-first',
    from: row.started_at + 1,
    filter,
  } as const
  if ((await someResults(db, later, 1)).length === 0) return true
  if (!(row.has_failures || row.has_errors)) return false
  return (await alsoRetained(db, row.check_id)).includes(row.started_at)
}
