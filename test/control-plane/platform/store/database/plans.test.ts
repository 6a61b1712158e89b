// Runs in test:all only: it fills and reads whole stores.
/**
 * How SQLite goes about every statement that the API's reads and the loops make: deterministic, and not timed. A
 * statement that walks over a table which grows with time stops the whole process one day, on a store larger than any test's.
 */
import BetterSqlite from 'better-sqlite3'
import t from 'tap'
import { packResultsTick } from '../../../../../control-plane/monitoring/results/pack-results.ts'
import { removeResultsTick } from '../../../../../control-plane/monitoring/results/remove-results.ts'
import { rollupTick } from '../../../../../control-plane/monitoring/results/rollups/rollup-tick.ts'
import { retentionTick } from '../../../../../control-plane/platform/retention/retention-tick.ts'
import { openDatabase } from '../../../../../control-plane/platform/store/database/open.ts'
import type { WatchedStatement } from '../../../../../control-plane/platform/store/database/statement-watch.ts'
import { retentionKinds } from '../../../../../control-plane/retention.ts'
import { type TestApp, testApp } from '../../../../support/app.ts'
import { freshDatabaseUrl } from '../../../../support/databases.ts'
import { fillStore } from '../../../../support/full-store.ts'
import { prepareStore } from '../../../../support/prepare-store.ts'
import { answersOf } from '../../../../support/store-reads.ts'
import { testsBeginAt } from '../../../../support/tests-begin.ts'
import type { World } from '../../../../support/world.ts'

/** Tables whose rows come with time, not with what people set up. */
const growing = [
  'missed_runs',
  'check_alerts',
  'alert_notifications',
  'error_groups',
  'root_cause_analyses',
  'check_sessions',
  'check_session_runs',
  'artifacts',
  'location_samples',
  'mails',
  'result_rollups',
]

/** Tables of a period, or of what is kept beyond one: blocks are read by their check and the place of an id. */
const ofPeriod = /^result_(rows|docs|blocks|details)_/

/** Read otherwise than by their key or in slices (`selectSlice`): each name, and why it is soon over. */
const endsSoon: Readonly<Record<string, string>> = {
  'waiting-analyses': 'an index of what is not finished',
  'waiting-notifications': 'an index of what is not sent',
  'last-in-notification-lines': 'an index of what is not sent',
  'held-of-checks': 'an index of what waits for hours',
  'latest-of-channel': 'the newest few of one channel',
  'latest-alert': 'the first one counts',
  'newest-failure-alert': 'the first one counts',
  'notifications-of-alert': 'of one alert',
  'runs-of-session': 'of one session',
  'sessions-of-test': 'of one test, which has 400 at most',
  'runs-of-test-session': 'of one test, which has 400 sessions at most',
  'sessions-of-test-sessions': 'of the tests on a page',
  'next-waiting-session': 'of what was asked for together',
  'update-session-run': 'of one session',
  'completed-analyses': 'of the groups on a page: people ask for them one by one',
  'samples-of-location': 'a window of a few hours, a row a minute',
  'locations-with-checks': 'ten minutes of each location, a row a minute',
  'delete-old-samples': 'a limit',
  'insert-mails-to-subscribers': 'the latest to each address',
  'latest-mail': 'the latest to one address',
  'delete-sessions-of-check': 'of one check: what people asked for',
  'delete-session-runs-of-check': 'of one check: what people asked for',
  'delete-analyses-of-check': 'of one check: what people asked for',
  'expire-artifacts-of-check': 'of one check: the files that are still kept',
  'delete-some-rollups': 'a limit',
  'one-rollup': 'the first one counts',
  'delete-some-missed-runs': 'a limit',
  'one-missed-run': 'the first one counts',
  'delete-alerts-of-check': 'of one check: changes of its state',
  'delete-notifications-of-check': 'of one check: changes of its state',
  'delete-error-groups-of-check': 'of one check: one for each kind of failure',
}

/** `waiting-notifications` without what is busy, which is built anew each time: whether there is any is a matter of moments. */
const isWaitingWhileBusy = /^select .* from "alert_notifications" as "n" where "n"\."due_at" is not null/

/** Results of a check that is removed go as many at a time as a limit says. */
const isOfRemoved = / where check_n = \? (limit \?|and first_id in)/

const filters = (checkId: string, heartbeatId: string): string[] => [
  ...['', '&hasFailures=true', '&hasFailures=false', '&resultType=ALL', '&location=local'].flatMap((more) => [
    `/v2/check-results/${checkId}?limit=5${more}`,
    `/v2/check-results/${checkId}?from=1&to=4000000000${more}`,
    `/v1/check-results/${checkId}?page=2${more}`,
  ]),
  ...['', '&filterByStatus=failure', '&filterByStatus=success', '&aggregationInterval=60'].flatMap((more) => [
    `/v1/analytics/url-monitors/${checkId}?quickRange=last30Days&metrics=availability,responseTime_p95${more}`,
    `/v1/analytics/url-monitors/${checkId}?quickRange=last30Days&metrics=responseTime&page=2${more}`,
  ]),
  `/v1/analytics/heartbeat-checks/${heartbeatId}?filterByStatus=FAILING`,
  `/v1/checks/heartbeats/${heartbeatId}/availability`,
  '/v1/reporting?granularity=day',
  '/v1/error-groups?includeArchived=true&page=2',
  '/v1/alert-notifications?hasFailures=false',
  '/v1/alert-notifications?alertChannelId=1',
  `/v1/check-alerts/${checkId}`,
  `/v1/missed-runs?checkId=${checkId}`,
  '/v1/missed-runs?location=local&from=1&to=4000000000',
  '/v1/badges/checks/all',
]

const readMore = async (world: World): Promise<void> => {
  const { id: checkId } = (await world.call('GET', '/v1/checks?search=UrlMonitor')).body[0]
  const all = (await world.call('GET', '/v1/checks?limit=100')).body as { id: string; checkType: string }[]
  const heartbeat = all.find(({ checkType }) => checkType === 'HEARTBEAT')?.id ?? ''
  for (const path of filters(checkId, heartbeat)) {
    const answer = await world.plane.call('GET', path)
    if (answer.status >= 500) throw new Error(`${path}: ${answer.text}`)
  }
}

type Plan = WatchedStatement & { steps: string[] }

/** Results are counted and packed, and then everything is over by its age. */
const endAll = async ({ app, advance }: TestApp): Promise<void> => {
  const { signal } = new AbortController()
  advance(3 * 3_600_000)
  await rollupTick(app, signal)
  await packResultsTick(app, signal)
  advance(900 * 86_400_000)
  await retentionTick(retentionKinds)(app, signal)
}

type Statements = Map<string, WatchedStatement>

const planned = async (): Promise<{ plans: Plan[]; ending: Plan[] }> => {
  const read: Statements = new Map()
  const ended: Statements = new Map()
  let seen = read
  const note = (statement: WatchedStatement): void => {
    if (statement.kind !== 'commit' && /^(select|update|delete|insert|with)\b/.test(statement.sql))
      seen.set(statement.sql, statement)
  }
  const url = await freshDatabaseUrl(t, 'sqlite')
  const db = openDatabase(url, { monotonic: () => 0, note })
  t.teardown(() => db.close())
  await prepareStore(db, testsBeginAt)
  seen.clear()
  const plane = await testApp(t, { parts: { db } })
  const world = await fillStore(plane)
  await answersOf(world)
  await readMore(world)
  await removeResultsTick(plane.app, new AbortController().signal)
  seen = ended
  await endAll(plane)
  const file = new BetterSqlite(url.slice('sqlite:'.length), { readonly: true })
  const [period] = file.prepare<unknown[], { n: number }>('select max(n) as n from result_periods').all()
  // All periods are alike, and those that are over are gone.
  const inLastPeriod = (sql: string): string =>
    sql.replaceAll(/(result_(?:rows|docs|blocks|details)_)\d+/g, `$1${period?.n}`)
  const stepsOf = (sql: string): string[] => {
    const statement = file.prepare<unknown[], { detail: string }>(`explain query plan ${inLastPeriod(sql)}`)
    const values = Array.from({ length: sql.split('?').length - 1 }, () => null)
    return statement.all(...values).map(({ detail }) => detail)
  }
  const plansOf = (statements: Statements): Plan[] =>
    [...statements.values()].map((statement) => ({ ...statement, steps: stepsOf(statement.sql) }))
  const all = { plans: plansOf(read), ending: plansOf(ended) }
  file.close()
  return all
}

const { plans, ending } = await planned()

/** Which growing table a step of the plan reads, under its name or its alias; null: none of them. */
const tableOf = ({ sql }: Plan, step: string): string | null => {
  const [, alias = ''] = /^(?:SCAN|SEARCH) (\S+)/.exec(step) ?? []
  if (alias === '') return null
  const [, aliased = alias] = new RegExp(`"(\\w+)" as "${alias}"`).exec(sql) ?? []
  const [, named = aliased] = new RegExp(`"(result_\\w+)" ${alias}\\b`).exec(sql) ?? []
  return growing.includes(named) || ofPeriod.test(named) ? named : null
}

const isByKey = (step: string): boolean =>
  /(sqlite_autoindex_\w+_1|USING PRIMARY KEY) \((id|result_id)=\?/.test(step) ||
  /INDEX result_(blocks|details)_\d+_check \(check_n=\? AND first_id<\?\)/.test(step)

/** Walks in the order of an index, or in none, until its limit is reached. */
const hasFirstRows = ({ sql, steps }: Plan): boolean =>
  / from "\w+"( order by "\w+")? limit (\?|1)( offset \?)?(\) as "found")?$/.test(sql) &&
  !steps.some((step) => step.startsWith('USE TEMP B-TREE'))

const told = ({ name, sql, steps }: Plan) => `${name ?? sql}: ${steps.join(' | ')}`

t.test('the statements of reads and loops are known', async (t) =>
  t.ok(plans.length > 250, `${plans.length}`),
)

t.test('failures are found in their own index', async (t) =>
  t.ok(
    plans.some(({ steps }) =>
      steps.some((step) =>
        /^SEARCH .+_failing \(check_n=\? AND started_at>\? AND started_at<\?\)/.test(step),
      ),
    ),
  ),
)

t.test('no statement walks over a whole table that grows', async (t) => {
  const walking = [...plans, ...ending].filter(
    (plan) =>
      !hasFirstRows(plan) &&
      plan.steps.some((step) => step.startsWith('SCAN') && tableOf(plan, step) !== null),
  )
  t.strictSame(walking.map(told), [])
})

t.test(
  'what grows is read by its key, in slices, or by a statement that says why it is soon over',
  async (t) => {
    const others = plans.filter(
      (plan) =>
        !plan.sql.includes(' indexed by ') &&
        !hasFirstRows(plan) &&
        plan.steps.some((step) => tableOf(plan, step) !== null && !isByKey(step)),
    )
    const unexplained = others.filter(
      ({ name, sql }) =>
        !isWaitingWhileBusy.test(sql) &&
        !isOfRemoved.test(sql) &&
        (name === null || endsSoon[name] === undefined),
    )
    t.strictSame(unexplained.map(told), [])
    const names = new Set(others.map(({ name }) => name))
    t.strictSame(
      Object.keys(endsSoon).filter((name) => !names.has(name)),
      [],
      'no name that is not used any more',
    )
  },
)

t.test(
  'what ends with time is found in pieces that lie in an index, and nothing of it is sorted',
  async (t) => {
    t.ok(ending.length > 60, `${ending.length}`)
    const kinds = ['error_groups', 'missed_runs', 'check_alerts', 'alert_notifications', 'check_sessions']
    for (const name of [...kinds, 'result_rollups'])
      t.ok(
        ending.some(({ sql }) => sql.startsWith('delete') && sql.includes(name)),
        `rows of ${name} end`,
      )
    const sorting = ending.filter(
      (plan) =>
        plan.steps.some((step) => step.startsWith('USE TEMP B-TREE')) &&
        plan.steps.some((step) => tableOf(plan, step) !== null && !isByKey(step)),
    )
    t.strictSame(sorting.map(told), [])
  },
)

t.test('only ranges of missed runs that reach beyond a bound are sorted, within a slice', async (t) => {
  const sorting = plans.filter(
    (plan) =>
      plan.steps.some((step) => step.startsWith('USE TEMP B-TREE')) &&
      plan.steps.some((step) => tableOf(plan, step) !== null && !isByKey(step)) &&
      (plan.name === null || endsSoon[plan.name] === undefined),
  )
  for (const plan of sorting)
    t.match(plan.sql, /"missed_runs" indexed by .+ case when last_due_at/s, told(plan))
})
