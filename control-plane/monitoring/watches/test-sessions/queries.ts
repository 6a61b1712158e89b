/** All SQL about tests that only they have. */
import type { Db } from '../../../platform/store/database/db.ts'
import { hasText } from '../../../platform/store/database/has-text.ts'
import { query } from '../../../platform/store/database/query.ts'
import type { TestSessionsTable } from '../../../platform/store/database/tables/check-sessions.ts'

export const insertTest = query('insert-test-session', (k, p: TestSessionsTable) =>
  k.insertInto('test_sessions').values({
    id: p.id,
    account_id: p.account_id,
    name: p.name,
    provider: p.provider,
    status: p.status,
    branch: p.branch,
    author: p.author,
    project: p.project,
    environment: p.environment,
    doc: p.doc,
    created_at: p.created_at,
    stopped_at: p.stopped_at,
  }),
)

type OneTest = { id: string; accountId: string }

export const findTest = query('find-test-session', (k, p: OneTest) =>
  k.selectFrom('test_sessions').selectAll().where('id', '=', p.id).where('account_id', '=', p.accountId),
)

type Suite = { accountId: string; from: string; pattern: string }

/** The test that a client has given an id of its own, of those since `from`: ids begin with their time. */
export const testOfSuite = query('test-of-suite', (k, p: Suite) =>
  k
    .selectFrom('test_sessions')
    .select(['id', 'account_id', 'doc', 'created_at'])
    .where('account_id', '=', p.accountId)
    .where('id', '>=', p.from)
    .where('doc', 'like', p.pattern)
    .orderBy('id', 'desc')
    .limit(1),
)

/** How far each check of a test is; `attempt`: of the run that is under way. */
export const progressOfTest = query('progress-of-test-session', (k, p: { testId: string }) =>
  k
    .selectFrom('check_sessions as s')
    .leftJoin('jobs as j', 'j.check_id', 's.id')
    .select(['s.id as id', 's.status as status', 'j.agent_id as agent_id', 'j.attempt as attempt'])
    .where('s.trigger_id', '=', p.testId)
    .orderBy('s.position'),
)

/** Up to `limit` of them: whether an account may start another one. */
export const runningTests = query('running-test-sessions', (k, p: { accountId: string; limit: number }) =>
  k
    .selectFrom('test_sessions')
    .select('id')
    .where('account_id', '=', p.accountId)
    .where('stopped_at', 'is', null)
    .limit(p.limit),
)

/** What a test may choose from. */
export const checksOfAccount = query('checks-of-account-to-test', (k, p: { accountId: string }) =>
  k
    .selectFrom('checks')
    .select(['id', 'type', 'name', 'group_id', 'doc'])
    .where('account_id', '=', p.accountId)
    .orderBy('created_at')
    .orderBy('id'),
)

/** The states of a test's runs; one that was not let go has none. */
export const runsOfTest = query('runs-of-test-session', (k, p: { testId: string }) =>
  k
    .selectFrom('check_sessions as s')
    .innerJoin('check_session_runs as r', 'r.session_id', 's.id')
    .select(['r.session_id', 'r.id', 'r.state'])
    .where('s.trigger_id', '=', p.testId),
)

type TestFilter = {
  accountId: string
  from?: number
  to?: number
  statuses?: readonly string[]
  branches?: readonly string[]
  users?: readonly string[]
  noUsers?: boolean
  providers?: readonly string[]
  text?: string
  errorGroupId?: string
}

/** Newest first, behind a place. */
export const listTests = (
  db: Db,
  filter: TestFilter,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<TestSessionsTable[]> =>
  db.select<TestSessionsTable>((k, engine) => {
    const { accountId, from, to, statuses, branches, users, noUsers, providers, text, errorGroupId } = filter
    let rows = k.selectFrom('test_sessions').selectAll().where('account_id', '=', accountId)
    if (before !== undefined) rows = rows.where('id', '<', before)
    if (from !== undefined) rows = rows.where('created_at', '>=', from)
    if (to !== undefined) rows = rows.where('created_at', '<', to)
    if (statuses !== undefined) rows = rows.where('status', 'in', [...statuses])
    if (branches !== undefined) rows = rows.where('branch', 'in', [...branches])
    if (users !== undefined) rows = rows.where('author', 'in', [...users])
    if (noUsers) rows = rows.where('author', 'is', null)
    if (providers !== undefined) rows = rows.where('provider', 'in', [...providers])
    if (text !== undefined)
      rows = rows.where(hasText(engine, { columns: ['name', 'branch', 'author'] }, text))
    if (errorGroupId !== undefined)
      rows = rows.where('id', 'in', (of) =>
        of
          .selectFrom('tested_checks')
          .select('test_session_id')
          .where('account_id', '=', accountId)
          .where('error_group_id', '=', errorGroupId),
      )
    return rows.orderBy('id', 'desc').limit(limit)
  })

type Tests = { ids: readonly string[] }

export const copiesOfTests = query('copies-of-test-sessions', (k, p: Tests, engine) =>
  k
    .selectFrom('tested_checks')
    .select(['id', 'error_group_id'])
    .where('test_session_id', 'in', engine.textList(p.ids)),
)

export const sessionsOfTests = query('sessions-of-test-sessions', (k, p: Tests, engine) =>
  k
    .selectFrom('check_sessions')
    .select(['trigger_id', 'name', 'status'])
    .where('trigger_id', 'in', engine.textList(p.ids))
    .orderBy('trigger_id')
    .orderBy('position'),
)
