import { query } from '../../platform/database/query.ts'
import type { Position } from '../../platform/database/slices.ts'
import type { ResultsTable } from '../../platform/database/tables/runs.ts'
import {
  type FilteredList,
  type ListSource,
  readFirst,
  readPage,
} from '../../platform/long-reads/read-slices.ts'
import { failingResults } from './failing-results.ts'

/** A place in the list, newest first: the start of a run and, among equals, its id. */
export type ResultCursor = [startedAt: number, id: string]

export type ResultFilter = {
  checkId: string
  accountId: string
  /** Epoch milliseconds; `from` inclusive, `to` exclusive. */
  from?: number
  to?: number
  location?: string
  hasFailures?: boolean
  resultType: 'FINAL' | 'ATTEMPT' | 'ALL'
  after?: ResultCursor
}

/** Keyset paging over (started_at, id): a page stays where it is however many results are added. */
export const listResults = (
  source: ListSource,
  filter: ResultFilter,
  limit: number,
): Promise<ResultsTable[]> =>
  readFirst(source, resultList(filter), { after: positionOf(filter.after), limit })

/** One page of the older list, and how many results there are in all. */
export const listResultsPage = (
  source: ListSource,
  filter: ResultFilter,
  page: { limit: number; offset: number },
): Promise<{ rows: ResultsTable[]; total: number }> => readPage(source, resultList(filter), page)

const positionOf = (cursor: ResultCursor | undefined): Position | null =>
  cursor === undefined ? null : { at: cursor[0], id: cursor[1] }

/** A removed check's results go little by little, and are nobody's from the first moment. */
export const findResult = query('find-result', (k, p: { id: string; checkId: string; accountId: string }) =>
  k
    .selectFrom('results')
    .selectAll()
    .where('id', '=', p.id)
    .where('check_id', '=', p.checkId)
    .where('account_id', '=', p.accountId)
    .where((of) =>
      of.exists(of.selectFrom('checks').select('checks.id').whereRef('checks.id', '=', 'results.check_id')),
    ),
)

const resultList = (filter: ResultFilter): FilteredList<'results'> => ({
  table: 'results',
  index: filter.hasFailures === true ? 'results_failing' : 'results_check',
  owner: ['check_id', filter.checkId],
  at: 'started_at',
  direction: 'newest-first',
  from: filter.from,
  to: filter.to,
  ...(filter.hasFailures === true ? { only: failingResults } : {}),
  filter: (rows) => {
    const { accountId, location, hasFailures, resultType } = filter
    let list = rows.where('account_id', '=', accountId)
    if (location !== undefined) list = list.where('location', '=', location)
    if (hasFailures !== undefined) list = list.where('has_failures', '=', hasFailures)
    return resultType === 'ALL' ? list : list.where('result_type', '=', resultType)
  },
})
