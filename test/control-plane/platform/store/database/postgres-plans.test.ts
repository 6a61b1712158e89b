/**
 * How PostgreSQL goes about what counts, reports and ends results: with `enable_seqscan` off it walks over a table only where
 * no index leads to the rows. A test's tables are too small to be asked without it.
 */
import t, { type Test } from 'tap'
import { packResultsTick } from '../../../../../control-plane/monitoring/results/pack-results.ts'
import { removeResultsTick } from '../../../../../control-plane/monitoring/results/remove-results.ts'
import { retentionTick } from '../../../../../control-plane/platform/retention/retention-tick.ts'
import { openDatabase } from '../../../../../control-plane/platform/store/database/open.ts'
import type { WatchedStatement } from '../../../../../control-plane/platform/store/database/statement-watch.ts'
import { retentionKinds } from '../../../../../control-plane/retention.ts'
import { testApp } from '../../../../support/app.ts'
import { freshDatabaseUrl } from '../../../../support/databases.ts'
import { type Ask, withConnection } from '../../../../support/postgres.ts'
import { prepareStore } from '../../../../support/prepare-store.ts'
import { countAll, takeIn } from '../../../../support/rollups.ts'
import { storeCheck, storeFailure } from '../../../../support/stored-results.ts'
import { testsBeginAt } from '../../../../support/tests-begin.ts'

const hour = 3_600_000

/** Tables whose rows come with time. */
const grows =
  /^(result_(rows|docs|blocks|details)\w*|result_rollups|missed_runs|check_alerts|alert_notifications|error_groups|root_cause_analyses|check_sessions|check_session_runs|artifacts)$/

/** The first rows of a table, whichever they are. */
const hasFirstRows = /from "\w+" limit (\$\d+|1)( offset \$\d+)?\) as "found"$/

const statementsOfWork = async (t: Test, url: string): Promise<WatchedStatement[]> => {
  const seen = new Map<string, WatchedStatement>()
  const note = (statement: WatchedStatement): void => {
    if (/^(select|update|delete|with)\b/.test(statement.sql)) seen.set(statement.sql, statement)
  }
  const db = openDatabase(url, { monotonic: () => 0, note })
  t.teardown(() => db.close())
  await prepareStore(db, testsBeginAt)
  const plane = await testApp(t, { parts: { db } })
  const now = plane.app.clock.now()
  const [kept, removed] = [await storeCheck(plane), await storeCheck(plane, { name: 'removed' })]
  for (const checkId of [kept, removed])
    await takeIn(
      plane,
      Array.from({ length: 40 }, (_, n) => ({ checkId, at: now + n * 60_000, responseTime: n })),
    )
  await storeFailure(plane, { checkId: kept, at: now + hour, message: 'refused' })
  seen.clear()
  const { signal } = new AbortController()
  plane.advance(3 * hour)
  await countAll(plane.app)
  await takeIn(plane, [{ checkId: kept, at: now + 90 * 60_000 }])
  await countAll(plane.app)
  await packResultsTick(plane.app, signal)
  for (const path of [
    '/v1/reporting?quickRange=last30Days',
    '/v1/reporting?quickRange=last24Hrs&granularity=day&timezone=Asia/Kathmandu',
    `/v1/analytics/url-monitors/${kept}?quickRange=last30Days&metrics=availability,responseTime_p95`,
  ])
    t.equal((await plane.call('GET', path)).status, 200, path)
  await plane.call('DELETE', `/v1/checks/${removed}`)
  await removeResultsTick(plane.app, signal)
  plane.advance(900 * 24 * hour)
  await retentionTick(retentionKinds)(plane.app, signal)
  return [...seen.values()]
}

/** Periods are alike, and those that are over are gone. */
const inLastPeriod = (sql: string, n: number): string =>
  sql.replaceAll(/(result_(?:rows|docs|blocks|details)_)\d+/g, `$1${n}`)

const stepsOf = async (ask: Ask, sql: string): Promise<string[]> => {
  await ask(`prepare asked as ${sql}`)
  const [{ count = 0 } = {}] = await ask<{ count: number }>(
    `select cardinality(parameter_types) as count from pg_prepared_statements where name = 'asked'`,
  )
  const values = count === 0 ? '' : `(${Array.from({ length: count }, () => 'null').join(', ')})`
  const rows = await ask<{ 'QUERY PLAN': string }>(`explain execute asked${values}`)
  await ask('deallocate asked')
  return rows.map((row) => row['QUERY PLAN'].trim())
}

t.test('PostgreSQL has an index for each statement that counts, reports and ends results', async (t) => {
  const url = await freshDatabaseUrl(t, 'postgres')
  const statements = await statementsOfWork(t, url)
  t.ok(statements.length > 60, `${statements.length}`)
  const walking: string[] = []
  await withConnection(url, async (ask) => {
    await ask('set enable_seqscan = off')
    await ask('set plan_cache_mode = force_generic_plan')
    const [{ n = 0 } = {}] = await ask<{ n: number }>('select max(n)::int as n from result_periods')
    for (const { name, sql } of statements) {
      if (hasFirstRows.test(sql)) continue
      for (const step of await stepsOf(ask, inLastPeriod(sql, n))) {
        const [, table = ''] = /Seq Scan on (\w+)/.exec(step) ?? []
        if (grows.test(table)) walking.push(`${name ?? sql}: ${step}`)
      }
    }
  })
  t.strictSame(walking, [])
})
