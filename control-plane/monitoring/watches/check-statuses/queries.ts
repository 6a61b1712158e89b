import { integer, text } from '../../../platform/store/database/ddl.ts'
import { query } from '../../../platform/store/database/query.ts'
import { rowStatement } from '../../../platform/store/database/row-statement.ts'

export type NewStatus = {
  checkId: string
  accountId: string
  state: 'passing' | 'degraded' | 'failing' | 'unknown'
  hasFailures: boolean
  hasErrors: boolean
  isDegraded: boolean
  longestRunMs: number
  shortestRunMs: number
  location: string
  checkRunId: number
  startedAt: number
  sslDaysRemaining: number | null
  now: number
  /** Null for a single run: the row that it makes was not changed since. */
  updatedAt: number | null
}

/**
 * The status after a final result. The verdict is that of the run that started last; the longest and the shortest run
 * count every result, whenever it arrives. What is `unknown` of the target does not end a failure, as it does not end its
 * alert.
 */
export const statusRows = rowStatement({
  name: 'record-status',
  table: 'check_statuses',
  valuesOf: (p: NewStatus) => ({
    check_id: p.checkId,
    account_id: p.accountId,
    state: p.state,
    has_failures: p.hasFailures,
    has_errors: p.hasErrors,
    is_degraded: p.isDegraded,
    longest_run: p.longestRunMs,
    shortest_run: p.shortestRunMs,
    last_run_location: p.location,
    last_check_run_id: p.checkRunId,
    last_started_at: p.startedAt,
    ssl_days_remaining: p.sslDaysRemaining,
    stale_since: null,
    created_at: p.now,
    updated_at: p.updatedAt,
  }),
  also: (insert) =>
    insert.onConflict((conflict) =>
      conflict.column('check_id').doUpdateSet((set) => {
        const newer = set('excluded.last_started_at', '>=', set.ref('check_statuses.last_started_at'))
        type Column = 'has_errors' | 'is_degraded' | 'last_started_at'
        const latest = <C extends Column | 'last_run_location' | 'last_check_run_id' | 'ssl_days_remaining'>(
          column: C,
        ) =>
          set
            .case()
            .when(newer)
            .then(set.ref(`excluded.${column}`))
            .else(set.ref(`check_statuses.${column}`))
            .end()
        const tells = set.or([
          set('excluded.state', '<>', 'unknown'),
          set('check_statuses.state', '<>', 'failing'),
        ])
        const verdict = <C extends 'state' | 'has_failures'>(column: C) =>
          set
            .case()
            .when(set.and([newer, tells]))
            .then(set.ref(`excluded.${column}`))
            .else(set.ref(`check_statuses.${column}`))
            .end()
        return {
          state: verdict('state'),
          has_failures: verdict('has_failures'),
          has_errors: latest('has_errors'),
          is_degraded: latest('is_degraded'),
          last_run_location: latest('last_run_location'),
          last_check_run_id: latest('last_check_run_id'),
          ssl_days_remaining: latest('ssl_days_remaining'),
          last_started_at: latest('last_started_at'),
          stale_since: set.case().when(newer).then(null).else(set.ref('check_statuses.stale_since')).end(),
          // Null: the check had a status before it had a run.
          longest_run: set
            .case()
            .when('check_statuses.longest_run', '>=', set.ref('excluded.longest_run'))
            .then(set.ref('check_statuses.longest_run'))
            .else(set.ref('excluded.longest_run'))
            .end(),
          shortest_run: set
            .case()
            .when('check_statuses.shortest_run', '<=', set.ref('excluded.shortest_run'))
            .then(set.ref('check_statuses.shortest_run'))
            .else(set.ref('excluded.shortest_run'))
            .end(),
          updated_at: set.ref('excluded.created_at'),
        }
      }),
    ),
})

export const recordStatus = statusRows.one

/**
 * Nothing is known of the target since a due time that nobody could run, unless a later run says something. `has_errors`:
 * the service could not do its part, for callers that know only the contract's three flags.
 */
export const recordUnknown = query(
  'record-unknown-status',
  (k, p: { checkId: string; accountId: string; dueAt: number; now: number }) =>
    k
      .insertInto('check_statuses')
      .values({
        check_id: p.checkId,
        account_id: p.accountId,
        state: 'unknown',
        has_failures: false,
        has_errors: true,
        is_degraded: false,
        longest_run: null,
        shortest_run: null,
        last_run_location: null,
        last_check_run_id: null,
        last_started_at: p.dueAt,
        ssl_days_remaining: null,
        stale_since: null,
        created_at: p.now,
        updated_at: null,
      })
      .onConflict((conflict) =>
        conflict
          .column('check_id')
          .doUpdateSet({
            state: 'unknown',
            has_failures: false,
            has_errors: true,
            is_degraded: false,
            last_started_at: p.dueAt,
            stale_since: null,
            updated_at: p.now,
          })
          .where('check_statuses.last_started_at', '<', p.dueAt)
          .where('check_statuses.state', '<>', 'failing'),
      ),
)

type Touch = { touched_id: string; at: number }

/**
 * Another passing run of checks that pass already and take no time: nothing but when it was; returns
 * those that did pass.
 */
export const touchStatuses = query('touch-statuses', (k, p: { touches: readonly Touch[] }, engine) =>
  k
    .updateTable('check_statuses')
    .from(engine.rowList(p.touches, { touched_id: text, at: integer }).$castTo<Touch>().as('r'))
    .set((of) => ({
      last_check_run_id: of.ref('r.at'),
      last_started_at: of.ref('r.at'),
      updated_at: of.ref('r.at'),
    }))
    .whereRef('check_statuses.check_id', '=', 'r.touched_id')
    .where('state', '=', 'passing')
    .returning('check_id'),
)

/** When the latest run of each began. */
export const latestStarts = query('latest-starts', (k, p: { ids: readonly string[] }, engine) =>
  k
    .selectFrom('check_statuses')
    .select(['check_id', 'last_started_at'])
    .where('check_id', 'in', engine.textList(p.ids)),
)

export const deleteStatus = query('delete-status', (k, p: { checkId: string }) =>
  k.deleteFrom('check_statuses').where('check_id', '=', p.checkId),
)

/** Only what is shown: of ten thousand rows, every column counts. */
const shown = [
  's.check_id',
  's.state',
  's.has_failures',
  's.has_errors',
  's.is_degraded',
  's.longest_run',
  's.shortest_run',
  's.last_run_location',
  's.last_check_run_id',
  's.ssl_days_remaining',
  's.stale_since',
  's.created_at',
  's.updated_at',
  'c.name',
] as const

/** Along the index of the account's checks, which has them in their order. */
export const listStatuses = query('list-statuses', (k, p: { accountId: string }) =>
  k
    .selectFrom('check_statuses as s')
    .innerJoin('checks as c', 'c.id', 's.check_id')
    .select(shown)
    .where('c.account_id', '=', p.accountId)
    .orderBy('c.created_at')
    .orderBy('c.id'),
)

/** The checks of the page are found in an index before anything is read of them. */
export const pageOfStatuses = query(
  'page-of-statuses',
  (k, p: { accountId: string; limit: number; offset: number }) =>
    k
      .selectFrom('check_statuses as s')
      .innerJoin('checks as c', 'c.id', 's.check_id')
      .select(shown)
      .where('c.account_id', '=', p.accountId)
      .orderBy('c.created_at')
      .orderBy('c.id')
      .limit(p.limit)
      .offset(p.offset),
)

export const countStatuses = query('count-statuses', (k, p: { accountId: string }) =>
  k
    .selectFrom('check_statuses')
    .select((at) => at.fn.countAll<number>().as('total'))
    .where('account_id', '=', p.accountId),
)

export const findStatus = query('find-status', (k, p: { accountId: string; checkId: string }) =>
  k
    .selectFrom('check_statuses as s')
    .innerJoin('checks as c', 'c.id', 's.check_id')
    .select(shown)
    .where('s.account_id', '=', p.accountId)
    .where('s.check_id', '=', p.checkId),
)
