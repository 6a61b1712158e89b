import type { Db } from '../database/db.ts'
import type { ResultsTable } from '../database/tables/runs.ts'

/** A place in the list, newest first: the start of a run and, among equals, its id. */
export type Place = [startedAt: number, id: string]

export type ResultFilter = {
  checkId: string
  accountId: string
  /** Epoch milliseconds; `from` inclusive, `to` exclusive. */
  from?: number
  to?: number
  location?: string
  checkType?: string
  hasFailures?: boolean
  resultType: 'FINAL' | 'ATTEMPT' | 'ALL'
  after?: Place
}

/** Keyset paging over (started_at, id): a page stays where it is however many results are added. */
export const listResults = (db: Db, filter: ResultFilter, limit: number): Promise<ResultsTable[]> =>
  db.select((k) => {
    let list = k
      .selectFrom('results')
      .selectAll()
      .where('check_id', '=', filter.checkId)
      .where('account_id', '=', filter.accountId)
    const { after, from, to, location, checkType, hasFailures, resultType } = filter
    if (from !== undefined) list = list.where('started_at', '>=', from)
    if (to !== undefined) list = list.where('started_at', '<', to)
    if (location !== undefined) list = list.where('location', '=', location)
    if (checkType !== undefined) list = list.where('check_type', '=', checkType)
    if (hasFailures !== undefined) list = list.where('has_failures', '=', hasFailures ? 1 : 0)
    if (resultType !== 'ALL') list = list.where('result_type', '=', resultType)
    if (after !== undefined)
      list = list.where((at) => at(at.refTuple('started_at', 'id'), '<', at.tuple(after[0], after[1])))
    return list.orderBy('started_at', 'desc').orderBy('id', 'desc').limit(limit)
  })
