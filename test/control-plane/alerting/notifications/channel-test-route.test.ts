import t from 'tap'
import { addChannel, loopbackEnv, storedNotifications } from '../../../support/alerting.ts'
import { testApp } from '../../../support/app.ts'
import { receiver } from '../../../support/receiver.ts'

t.test(
  'a test notification is sent once, and what the receiver says is answered without secrets',
  async (t) => {
    const given = await testApp(t, { env: loopbackEnv })
    const { call, app, addKey, accountId } = given
    let status = 200
    const hook = await receiver(t, ({ headers }) => ({ status, body: `you sent ${headers.authorization}` }))
    await call('POST', '/v1/variables', { body: { key: 'TOKEN', value: 'very-secret-token', secret: true } })
    const id = await addChannel(given, 'WEBHOOK', {
      name: 'w',
      url: hook.origin,
      headers: [{ key: 'authorization', value: 'Bearer {{TOKEN}}', locked: true }],
    })
    const path = `/v1/alert-channels/${id}/test`
    t.strictSame((await call('POST', path)).body, {
      delivered: true,
      answer: 'HTTP 200: you sent ***',
    })
    t.equal(hook.received[0]?.headers.authorization, 'Bearer very-secret-token')
    status = 500
    t.match((await call('POST', `${path}?alertType=ALERT_RECOVERY`)).body, {
      delivered: false,
      answer: /^HTTP 500/,
    })
    t.equal(hook.received[1]?.json.alert_type, 'ALERT_RECOVERY')
    t.equal(hook.received[1]?.json.check_id, hook.received[0]?.json.check_id)
    t.equal(hook.received.length, 2, 'each is tried once')
    t.strictSame(await storedNotifications(app), [])

    const mail = await addChannel(given, 'EMAIL', { address: 'a@example.com' })
    t.match((await call('POST', `/v1/alert-channels/${mail}/test`)).body, {
      delivered: false,
      answer: /SMTP_URL is not set/,
    })
    t.equal((await call('POST', '/v1/alert-channels/4711/test')).status, 404)
    const { apiKey: key } = await addKey({ accountId, role: 'READ_RUN' })
    t.equal((await call('POST', path, { key })).status, 403)
  },
)

t.test('a template that can never be filled in is refused by field', async (t) => {
  const { call } = await testApp(t)
  const config = {
    name: 'w',
    url: 'https://example.com/{{#if}',
    template: '{{> other}}',
    headers: [{ key: 'a', value: '{{#each TAGS}}' }],
  }
  const { status, body } = await call('POST', '/v1/alert-channels', { body: { type: 'WEBHOOK', config } })
  t.equal(status, 400)
  t.strictSame(
    body.attributes.violations.map(({ path }: { path: string }) => path),
    ['config.url', 'config.template', 'config.headers.0.value'],
  )
})
