// Runs on both engines in test:all: rows are locked.
import t from 'tap'
import {
  notificationRows,
  settleNotification,
} from '../../../../control-plane/alerting/notifications/outbox-queries.ts'
import { alertEvent } from '../../../support/alerting.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'

type More = { at: number; status?: string; channelId?: number; sentAt?: number | null }

const add = async (
  { app, accountId }: TestApp,
  { at, status = 'SUCCESS', channelId = 1, sentAt = at }: More,
) => {
  const id = app.newId()
  const doc = JSON.stringify({ alertConfig: { address: 'a@example.com' }, notificationResult: '250 OK' })
  await app.db.run(notificationRows.one, {
    id,
    account_id: accountId,
    channel_id: channelId,
    type: 'EMAIL',
    check_id: app.newId(),
    check_type: 'URL',
    check_alert_id: app.newId(),
    check_result_id: app.newId(),
    status: 'IN_PROGRESS',
    created_at: at,
    due_at: at,
    held: null,
    gather: null,
    sequence: 1,
    event: JSON.stringify(alertEvent({ accountId })),
    doc,
  })
  if (sentAt !== null)
    await app.db.run(settleNotification, { id, claims: 0, status, tries: 1, dueAt: null, sentAt, doc })
  return id
}

for (const engine of engineNames)
  t.test(
    `notifications are listed newest first, by channel and outcome, over 24 hours (${engine})`,
    async (t) => {
      const given = await testApp(t, { engine })
      const { app, call, advance, addKey } = given
      advance(3 * 24 * 3_600_000)
      const now = app.clock.now()
      const old = await add(given, { at: now - 25 * 3_600_000 })
      const failed = await add(given, { at: now - 3000, status: 'FAILURE' })
      const limited = await add(given, { at: now - 2000, status: 'RATE_LIMITED', channelId: 2 })
      const waiting = await add(given, { at: now - 1000, status: 'IN_PROGRESS', sentAt: null })
      const sent = await add(given, { at: now })
      const ids = async (query: string) => {
        const { status, body } = await call('GET', `/v1/alert-notifications${query}`)
        advance(10_000)
        return status === 200 ? body.map(({ id }: { id: string }) => id) : status
      }
      t.strictSame(await ids(''), [sent, waiting, limited, failed])
      t.strictSame(await ids('?hasFailures=true'), [limited, failed])
      t.strictSame(await ids('?hasFailures=false'), [sent, waiting])
      t.strictSame(await ids('?alertChannelId=2'), [limited])
      t.strictSame(await ids('?limit=1&page=2'), [waiting])
      const seconds = now / 1000
      t.strictSame(await ids(`?from=${seconds - 25 * 3600}&to=${seconds - 24 * 3600}`), [old])
      t.equal(await ids(`?from=${seconds - 24 * 3600 - 1}&to=${seconds}`), 400, 'at most 24 hours')
      const { body } = await call('GET', '/v1/alert-notifications?limit=2')
      t.match(body[0], {
        alertChannelId: 1,
        type: 'EMAIL',
        status: 'SUCCESS',
        alertConfig: { address: 'a@example.com' },
        notificationResult: '250 OK',
      })
      t.equal(body[1].timestamp, null, 'not tried yet')
      const { apiKey: key } = await addKey()
      t.strictSame((await call('GET', '/v1/alert-notifications', { key })).body, [])
    },
  )

t.test('the log of notifications takes 5 requests in 10 seconds', async (t) => {
  const { call } = await testApp(t)
  const statuses: number[] = []
  for (let i = 0; i < 6; i++) statuses.push((await call('GET', '/v1/alert-notifications')).status)
  t.strictSame(statuses, [200, 200, 200, 200, 200, 429])
})
