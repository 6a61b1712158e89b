import type { Db } from '../../platform/store/database/db.ts'
import type { Position } from '../../platform/store/database/slices.ts'
import { findCheck } from '../definitions/checks/queries.ts'
import { testedChecksById } from '../definitions/tested-checks/queries.ts'
import { findResultById } from './stored/find-results.ts'
import { firstResults, pageOfResults, type ResultList, type ResultSource } from './stored/list-results.ts'
import type { ResultWithDoc } from './stored/result.ts'

/** A place in the list, newest first: the start of a run and, among equals, its id. */
export type ResultCursor = [startedAt: number, id: string]

type ResultFilter = {
  checkId: string
  accountId: string
  /** Epoch milliseconds; `from` inclusive, `to` exclusive. */
  from?: number
  to?: number
  location?: string
  hasFailures?: boolean
  hasErrors?: boolean
  isDegraded?: boolean
  resultType: 'FINAL' | 'ATTEMPT' | 'ALL'
  after?: ResultCursor
}

/** Keyset paging over (started_at, id): a page stays where it is however many results are added. */
export const listResults = (
  source: ResultSource,
  filter: ResultFilter,
  limit: number,
): Promise<ResultWithDoc[]> =>
  firstResults(source, resultList(filter), { after: positionOf(filter.after), limit })

/** One page of the older list, and how many results there are in all. */
export const listResultsPage = (
  source: ResultSource,
  filter: ResultFilter,
  page: { limit: number; offset: number },
): Promise<{ rows: ResultWithDoc[]; total: number }> => pageOfResults(source, resultList(filter), page)

const positionOf = (cursor: ResultCursor | undefined): Position | null =>
  cursor === undefined ? null : { at: cursor[0], id: cursor[1] }

/** A removed check's results are deleted little by little, and are hidden at once. */
export const findResult = async (
  db: Db,
  { id, checkId, accountId }: { id: string; checkId: string; accountId?: string },
): Promise<ResultWithDoc | undefined> => {
  const result = await findResultById(db, id)
  if (result?.check_id !== checkId) return undefined
  if (accountId !== undefined && result.account_id !== accountId) return undefined
  const isThere =
    (await db.get(findCheck, { id: checkId, accountId: result.account_id })) ??
    (await db.get(testedChecksById, { ids: [checkId] }))
  return isThere === undefined ? undefined : result
}

const resultList = ({ checkId, from, to, resultType, ...filter }: ResultFilter): ResultList => ({
  checkId,
  direction: 'newest-first',
  from,
  to,
  filter: {
    location: filter.location,
    hasFailures: filter.hasFailures,
    hasErrors: filter.hasErrors,
    isDegraded: filter.isDegraded,
    failing: filter.hasFailures === true || filter.hasErrors === true ? true : undefined,
    resultType: resultType === 'ALL' ? undefined : resultType,
  },
})
