/** Statements about all that was told together, which may be ten thousand checks: for each of them, its own few rows are looked at. */
import BetterSqlite from 'better-sqlite3'
import t from 'tap'
import {
  claimGathered,
  gathersOfOpenings,
  stillFailing,
} from '../../../../control-plane/alerting/notifications/bundle-queries.ts'
import { openDatabase } from '../../../../control-plane/platform/store/database/open.ts'
import { freshDatabaseUrl } from '../../../support/databases.ts'
import { prepareStore } from '../../../support/prepare-store.ts'

t.test('no check is looked for among all that its channel was told', async (t) => {
  const url = await freshDatabaseUrl(t, 'sqlite')
  const sqls = new Map<string | null, string>()
  const db = openDatabase(url, { monotonic: () => 0, note: ({ name, sql }) => sqls.set(name, sql) })
  t.teardown(() => db.close())
  await prepareStore(db, 0)
  const gather = 'storm host shop.example'
  await db.get(stillFailing, { channelId: 1, gather })
  await db.all(claimGathered, { leader: 'leader', channelId: 1, gather, now: 1, until: 2 })
  await db.all(gathersOfOpenings, { accountId: 'account', since: 0, limit: 500 })
  const file = new BetterSqlite(url.slice('sqlite:'.length), { readonly: true })
  t.teardown(() => file.close())
  for (const { name } of [stillFailing, claimGathered, gathersOfOpenings]) {
    const sql = sqls.get(name) ?? ''
    const values = Array.from({ length: sql.split('?').length - 1 }, () => null)
    const steps = file
      .prepare<unknown[], { detail: string }>(`explain query plan ${sql}`)
      .all(...values)
      .map(({ detail }) => detail)
    t.ok(steps.length > 1, name)
    // One step finds what was told together, or what began lately; each other one is taken once for each of those.
    const wide = steps.filter(
      (step) => /^(SEARCH|SCAN) (?!a$)/.test(step) && !/\((channel_id=\? AND )?(check_id|id)=\?/.test(step),
    )
    t.equal(wide.length, 1, steps.join(' | '))
    t.match(wide[0], / alert_notifications_gather \(| check_alerts_account \(/)
  }
})
