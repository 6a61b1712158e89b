import t from 'tap'
import { watchOutbox } from '../../../../control-plane/alerting/notifications/notification-metrics.ts'
import { testApp } from '../../../support/app.ts'

t.test('what waits is read at a scrape; without a store the other metrics are shown', async (t) => {
  const { app, call, logged } = await testApp(t)
  const before = await call('GET', '/metrics')
  t.notMatch(before.text, /^watchpost_notifications_waiting /m, 'nobody has said yet what waits')
  watchOutbox(app)
  watchOutbox(app)
  const { text } = await call('GET', '/metrics')
  t.match(text, /^watchpost_notifications_waiting 0$/m)
  t.match(text, /^watchpost_notifications_oldest_age_seconds 0$/m)

  await app.db.close()
  const without = await call('GET', '/metrics')
  t.equal(without.status, 200)
  t.match(without.text, /^watchpost_http_requests_total\{.*route="\/metrics",status="200"\} 2$/m)
  t.notMatch(without.text, /^watchpost_notifications_\w+ /m)
  t.equal(logged.filter(({ msg }) => msg === 'The outbox could not be read for the metrics').length, 1)
})
