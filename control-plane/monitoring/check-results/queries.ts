import type { Kysely } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import { query } from '../../platform/database/query.ts'
import type { ResultsTable } from '../../platform/database/tables/runs.ts'
import type { Tables } from '../../platform/database/tables.ts'

/** A place in the list, newest first: the start of a run and, among equals, its id. */
export type ResultCursor = [startedAt: number, id: string]

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
  after?: ResultCursor
}

/** Keyset paging over (started_at, id): a page stays where it is however many results are added. */
export const listResults = (db: Db, filter: ResultFilter, limit: number): Promise<ResultsTable[]> =>
  db.select((k) => newestFirst(k, filter).selectAll().limit(limit))

/** One page of the older list. */
export const listResultsPage = (
  db: Db,
  filter: ResultFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<ResultsTable[]> => db.select((k) => newestFirst(k, filter).selectAll().limit(limit).offset(offset))

export const countResults = async (db: Db, filter: ResultFilter): Promise<number> => {
  const [row] = await db.select((k) =>
    filtered(k, filter).select((at) => at.fn.countAll<number>().as('total')),
  )
  return row?.total ?? 0
}

export const findResult = query('find-result', (k, p: { id: string; checkId: string; accountId: string }) =>
  k
    .selectFrom('results')
    .selectAll()
    .where('id', '=', p.id)
    .where('check_id', '=', p.checkId)
    .where('account_id', '=', p.accountId),
)

const newestFirst = (k: Kysely<Tables>, filter: ResultFilter) => {
  const list = filtered(k, filter).orderBy('started_at', 'desc').orderBy('id', 'desc')
  const { after } = filter
  if (after === undefined) return list
  return list.where((at) => at(at.refTuple('started_at', 'id'), '<', at.tuple(after[0], after[1])))
}

const filtered = (k: Kysely<Tables>, filter: ResultFilter) => {
  let list = k
    .selectFrom('results')
    .where('check_id', '=', filter.checkId)
    .where('account_id', '=', filter.accountId)
  const { from, to, location, checkType, hasFailures, resultType } = filter
  if (from !== undefined) list = list.where('started_at', '>=', from)
  if (to !== undefined) list = list.where('started_at', '<', to)
  if (location !== undefined) list = list.where('location', '=', location)
  if (checkType !== undefined) list = list.where('check_type', '=', checkType)
  if (hasFailures !== undefined) list = list.where('has_failures', '=', hasFailures)
  return resultType === 'ALL' ? list : list.where('result_type', '=', resultType)
}

export const deleteResultsOfCheck = query('delete-results-of-check', (k, p: { checkId: string }) =>
  k.deleteFrom('results').where('check_id', '=', p.checkId),
)
