// Runs in a process of its own: it measures the time of the processor.
// Runs on both engines: senders leave each other's rows out.
import t from 'tap'
import { dispatchTick } from '../../../../control-plane/alerting/notifications/dispatch.ts'
import { endNotificationClaims } from '../../../../control-plane/alerting/notifications/outbox-queries.ts'
import { queueNotifications } from '../../../../control-plane/alerting/notifications/queue-notifications.ts'
import { createApp } from '../../../../control-plane/create-app.ts'
import {
  addChannel,
  alertEvent,
  dispatch,
  loopbackEnv,
  queueEvent,
  storedNotifications,
} from '../../../support/alerting.ts'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { mailbox } from '../../../support/mailbox.ts'
import { type Answering, receiver } from '../../../support/receiver.ts'
import { closedPort } from '../../../support/servers.ts'

const env = loopbackEnv

t.test(
  'a login that the mail server refuses is tried again, a recipient that it refuses is not',
  async (t) => {
    const box = await mailbox(t, { login: 'ada:right' })
    const smtp = { SMTP_URL: box.url, MAIL_FROM: 'watchpost@example.com' }
    const given = await testApp(t, { env: { ...env, ...smtp } })
    const { app, advance, call, accountId } = given
    const channel = await addChannel(given, 'EMAIL', { address: 'ops@example.com' })
    box.refuseLogin(535)
    await queueEvent(app, alertEvent({ accountId }), [channel])
    for (let tries = 1; tries <= 5; tries++) {
      await dispatch(app)
      t.match(await storedNotifications(app), [{ tries, status: tries < 5 ? 'IN_PROGRESS' : 'FAILURE' }])
      advance(20_000)
    }
    const [dead] = (await call('GET', '/v1/alert-notifications?hasFailures=true')).body
    t.match(
      dead.notificationResult,
      'The mail server does not accept the login of SMTP_URL; it answered: 535 not today',
    )
    box.refuseLogin(null)
    t.equal((await call('POST', `/v1/alert-notifications/${dead.id}/resend`)).status, 202)
    await dispatch(app)
    t.equal(box.mails.length, 1, 'after the operator has set it right')

    box.refuse(550)
    await queueEvent(app, alertEvent({ accountId }), [channel])
    await dispatch(app)
    const [, refused] = await storedNotifications(app)
    t.match(refused, { status: 'FAILURE', tries: 1, result: 'The mail server answered: 550 not today' })
  },
)

for (const engine of engineNames) {
  t.test(`a notification is sent once, and what was answered is kept (${engine})`, async (t) => {
    const given = await testApp(t, { engine, env })
    const hook = await receiver(t, () => ({ status: 202, body: 'thanks' }))
    const channel = await addChannel(given, 'WEBHOOK', { name: 'w', url: `${hook.origin}/in` })
    await queueEvent(given.app, alertEvent({ accountId: given.accountId }), [channel, channel + 1000])
    await dispatch(given.app)
    await dispatch(given.app)
    t.equal(hook.received.length, 1, 'a channel that does not exist gets nothing')
    const [row] = await storedNotifications(given.app)
    t.match(row, { status: 'SUCCESS', tries: 1, due_at: null, result: 'HTTP 202: thanks' })
    t.equal(hook.received[0]?.headers['x-service-notification-id'], row?.id)
    const { body } = await given.call('GET', '/v1/alert-notifications')
    t.match(body, [
      { id: row?.id, status: 'SUCCESS', notificationResult: 'HTTP 202: thanks', type: 'WEBHOOK' },
    ])
  })

  t.test(`five tries, 20 seconds apart, then a dead letter that can be sent again (${engine})`, async (t) => {
    const given = await testApp(t, { engine, env })
    const { app, advance, call, addKey, accountId } = given
    let works = false
    const hook = await receiver(t, () => (works ? {} : { status: 500, body: 'broken' }))
    const channel = await addChannel(given, 'WEBHOOK', { name: 'w', url: hook.origin })
    await queueEvent(app, alertEvent({ accountId }), [channel])
    for (let tries = 1; tries <= 5; tries++) {
      await dispatch(app)
      t.equal(hook.received.length, tries)
      if (tries === 1) {
        const undelivered = (await call('GET', '/v1/alert-notifications?hasFailures=true')).body
        t.match(undelivered, [{ status: 'IN_PROGRESS', notificationResult: 'HTTP 500: broken' }])
        t.strictSame((await call('GET', '/v1/alert-notifications?hasFailures=false')).body, [])
      }
      advance(19_999)
      await dispatch(app)
      t.equal(hook.received.length, tries, 'not before 20 seconds are over')
      advance(1)
    }
    await dispatch(app)
    t.equal(hook.received.length, 5)
    const [row] = await storedNotifications(app)
    t.match(row, { status: 'FAILURE', tries: 5, due_at: null, result: 'HTTP 500: broken' })
    const ids = new Set(hook.received.map(({ headers }) => headers['x-service-notification-id']))
    t.strictSame([...ids], [row?.id], 'every try carries the same id')
    const dead = await call('GET', '/v1/alert-notifications?hasFailures=true')
    t.strictSame(
      dead.body.map(({ id }: { id: string }) => id),
      [row?.id],
    )

    const path = `/v1/alert-notifications/${row?.id}/resend`
    const { apiKey: stranger } = await addKey()
    t.equal((await call('POST', path, { key: stranger })).status, 404, "another account's")
    const { apiKey: reader } = await addKey({ accountId, role: 'READ_RUN' })
    t.equal((await call('POST', path, { key: reader })).status, 403)
    works = true
    t.match(await call('POST', path), { status: 202, body: { id: row?.id, status: 'IN_PROGRESS' } })
    t.equal((await call('POST', path)).status, 409, 'it is waiting already')
    await dispatch(app)
    t.equal(hook.received.length, 6)
    t.match(await storedNotifications(app), [{ status: 'SUCCESS', tries: 1 }])
    t.equal((await call('POST', path)).status, 409, 'it was delivered')
  })

  t.test(`a recovery waits for the failure before it, other checks do not (${engine})`, async (t) => {
    const given = await testApp(t, { engine, env })
    const { app, advance, accountId } = given
    let works = false
    const hook = await receiver(t, ({ json }) =>
      works || json.check_name === 'other' ? {} : { status: 503 },
    )
    const channel = await addChannel(given, 'WEBHOOK', { name: 'w', url: hook.origin })
    const second = await addChannel(given, 'WEBHOOK', {
      name: 'v',
      url: `${hook.origin}/second`,
      template: '{"check_name":"other"}',
    })
    await queueEvent(app, alertEvent({ accountId }), [channel])
    advance(1000)
    await queueEvent(app, alertEvent({ accountId, alertType: 'ALERT_RECOVERY' }), [channel, second])
    const other = alertEvent({ accountId, checkId: app.newId(), checkName: 'other' })
    await queueEvent(app, other, [channel])
    await dispatch(app)
    const seen = () =>
      hook.received.map(({ path, json }) =>
        path === '/second' ? 'second' : json.check_name === 'other' ? 'other' : json.alert_type,
      )
    t.strictSame(seen().sort(), ['ALERT_FAILURE', 'other', 'second'])
    works = true
    advance(20_000)
    await dispatch(app)
    t.strictSame(seen().slice(3), ['ALERT_FAILURE', 'ALERT_RECOVERY'], 'in this order')
  })

  t.test(`two dispatchers on one store send each notification once (${engine})`, async (t) => {
    const given = await testApp(t, { engine, env })
    const { app, accountId } = given
    const hook = await receiver(t)
    const channel = await addChannel(given, 'WEBHOOK', { name: 'w', url: hook.origin })
    const count = 60
    for (let i = 0; i < count; i++)
      await queueEvent(app, alertEvent({ accountId, checkId: app.newId() }), [channel])
    const { config, db, log, cipher, clock } = app
    const second = createApp({ config, db, log, cipher, clock })
    await Promise.all([dispatch(app), dispatch(second), dispatch(app)])
    t.equal(hook.received.length, count)
    t.equal(new Set(hook.received.map(({ headers }) => headers['x-service-notification-id'])).size, count)
    t.strictSame(new Set((await storedNotifications(app)).map(({ status }) => status)), new Set(['SUCCESS']))
  })

  t.test(`what a killed dispatcher had claimed is sent again under the same id (${engine})`, async (t) => {
    const given = await testApp(t, { engine, env })
    const { app, accountId, advance } = given
    const hook = await receiver(t)
    const channel = await addChannel(given, 'WEBHOOK', { name: 'w', url: hook.origin })
    await queueEvent(app, alertEvent({ accountId }), [channel])
    // Killed between sending and writing it down: a store that refuses the outcome.
    const refusing = {
      ...app,
      db: {
        ...app.db,
        run: (...given: Parameters<typeof app.db.run>) =>
          given[0].name === 'settle-notification'
            ? Promise.reject(new Error('killed'))
            : app.db.run(...given),
      },
    }
    await dispatch(refusing as typeof app)
    t.equal(hook.received.length, 1)
    await dispatch(app)
    t.equal(hook.received.length, 1, 'the claim holds')
    advance(20_000)
    await dispatch(refusing as typeof app)
    t.equal(hook.received.length, 2)
    await app.db.run(endNotificationClaims, { now: app.clock.now() })
    await dispatch(app)
    t.equal(hook.received.length, 3, 'at once where nobody else can have it')
    const [first, again] = hook.received.map(({ headers }) => headers['x-service-notification-id'])
    t.equal(again, first)
    t.match(await storedNotifications(app), [{ status: 'SUCCESS', tries: 1 }])
  })

  t.test(
    `Retry-After is honoured by all that waits for the channel, in seconds and as a date (${engine})`,
    async (t) => {
      const given = await testApp(t, { engine, env })
      const { app, accountId, advance, call } = given
      const answers: Answering[] = [
        { status: 429, headers: { 'retry-after': '30' } },
        { status: 503, headers: { 'retry-after': new Date(app.clock.now() + 90_000).toUTCString() } },
      ]
      const hook = await receiver(t, () => answers.shift() ?? {})
      const channel = await addChannel(given, 'WEBHOOK', { name: 'w', url: hook.origin })
      await queueEvent(app, alertEvent({ accountId }), [channel])
      await dispatch(app)
      await queueEvent(app, alertEvent({ accountId, alertType: 'ALERT_RECOVERY' }), [channel])
      t.match(await storedNotifications(app), [
        { status: 'RATE_LIMITED', tries: 0, due_at: app.clock.now() + 30_000 },
        { status: 'IN_PROGRESS' },
      ])
      t.match((await call('GET', '/v1/alert-notifications')).body[1], { status: 'RATE_LIMITED' })
      advance(29_999)
      await dispatch(app)
      t.equal(hook.received.length, 1)
      advance(1)
      await dispatch(app)
      t.equal(hook.received.length, 2, 'the date has not come')
      const [first] = await storedNotifications(app)
      t.match(first, { status: 'RATE_LIMITED', tries: 0, due_at: app.clock.now() + 60_000 })
      advance(60_000)
      await dispatch(app)
      t.strictSame(
        (await storedNotifications(app)).map(({ status }) => status),
        ['SUCCESS', 'SUCCESS'],
      )
    },
  )
}

t.test('failures that stay are not tried again, others are', async (t) => {
  const given = await testApp(t, { env })
  const { app, accountId, advance, call } = given
  const target = await receiver(t)
  const hook = await receiver(t, ({ path }): Answering => {
    if (path === '/cut') return 'cut'
    if (path === '/large') return { body: 'x'.repeat(100_000) }
    return { status: 302, headers: { location: path === '/loop' ? '/loop' : `${target.origin}/moved` } }
  })
  const cases: Array<{ url: string; status: string; result: RegExp }> = [
    { url: `${hook.origin}/moved`, status: 'FAILURE', result: /HTTP 302.*redirects are not followed/ },
    { url: `${hook.origin}/loop`, status: 'FAILURE', result: /HTTP 302/ },
    { url: `${hook.origin}/cut`, status: 'SUCCESS', result: /HTTP 200: half/ },
    { url: `${hook.origin}/large`, status: 'SUCCESS', result: /HTTP 200: x/ },
    { url: 'http://10.0.0.1/', status: 'FAILURE', result: /outside EGRESS_ALLOWED_NETWORKS/ },
    { url: `http://127.0.0.1:${await closedPort()}/`, status: 'IN_PROGRESS', result: /ECONNREFUSED/ },
    { url: '{{{NOT_SET}}}', status: 'FAILURE', result: /not an http or https URL/ },
  ]
  for (const { url } of cases) {
    const channel = await addChannel(given, 'WEBHOOK', { name: 'w', url })
    await queueEvent(app, alertEvent({ accountId, checkId: app.newId() }), [channel])
    advance(1)
  }
  await dispatch(app)
  const rows = await storedNotifications(app)
  for (const [i, { url, status, result }] of cases.entries()) {
    t.equal(rows[i]?.status, status, url)
    t.match(rows[i]?.result, result, url)
  }
  t.equal(target.received.length, 0, 'no redirect was followed')

  const gone = await addChannel(given, 'WEBHOOK', { name: 'w', url: hook.origin })
  await queueEvent(app, alertEvent({ accountId }), [gone])
  await call('DELETE', `/v1/alert-channels/${gone}`)
  advance(1)
  await dispatch(app)
  t.match((await storedNotifications(app)).at(-1), {
    status: 'FAILURE',
    result: 'The alert channel was deleted',
  })
})

t.test('a receiver that stalls holds up nobody else', async (t) => {
  const given = await testApp(t, { env })
  const { app, accountId } = given
  const count = 1000
  const all = Promise.withResolvers<void>()
  const stalled = await receiver(t, () => 'stall')
  const hook = await receiver(t, (_, received) => {
    if (received === count) all.resolve()
    return {}
  })
  const slow = await addChannel(given, 'WEBHOOK', { name: 'slow', url: stalled.origin })
  const fast = await addChannel(given, 'WEBHOOK', { name: 'fast', url: hook.origin })
  const making = { now: app.clock.now(), newId: app.newId }
  await app.db.transaction(async (trx) => {
    for (let i = 0; i < count; i++) {
      const event = alertEvent({ accountId, checkId: app.newId() })
      await queueNotifications(trx, [{ event, to: i < 100 ? [slow, fast] : [fast] }], making)
    }
  })
  const stop = new AbortController()
  const startedAt = performance.now()
  const cpu = process.cpuUsage()
  const dispatching = dispatchTick(app, stop.signal)
  await all.promise
  const tookMs = performance.now() - startedAt
  const { user, system } = process.cpuUsage(cpu)
  stop.abort()
  t.equal(new Set(hook.received.map(({ headers }) => headers['x-service-notification-id'])).size, count)
  const rounds = 1 + Math.ceil(tookMs / 10_000)
  t.ok(
    stalled.received.length <= 32 * rounds,
    'at most 32 at a time were on their way to the one that stalls',
  )
  t.comment(
    `${count} delivered in ${Math.round(tookMs)} ms, ${Math.round((user + system) / 1000)} ms of them working, receiver included`,
  )
  await dispatching
  const rows = await storedNotifications(app)
  t.equal(rows.filter(({ status }) => status === 'SUCCESS').length, count)
  t.equal(rows.filter(({ status }) => status === 'IN_PROGRESS').length, 100)
  const text = await app.metrics.metrics()
  t.match(text, /watchpost_notifications_waiting 100/)
  t.match(
    text,
    new RegExp(`watchpost_notification_attempts_total\\{type="WEBHOOK",outcome="delivered"\\} ${count}`),
  )
  t.match(text, `watchpost_notification_seconds_count{type="WEBHOOK"} ${count}\n`)
  t.match(
    text,
    'watchpost_notification_attempts_total{type="EMAIL",outcome="dead"} 0\n',
    'before the first one',
  )
})
