// Runs in test:all only: it starts a thread for each of many faults.
/** Templates that cannot be filled in: refused when they are saved, never the end of an alert when they are sent. */
import t, { type Test } from 'tap'
import {
  contentColumns,
  flagsOf,
  openConfig,
} from '../../../../control-plane/alerting/alert-channels/channel-row.ts'
import { findChannel, updateChannel } from '../../../../control-plane/alerting/alert-channels/queries.ts'
import { longFormats, momentTokens } from '../../../../protocol/templates/moment-tokens.ts'
import {
  addChannel,
  alertEvent,
  dispatch,
  loopbackEnv,
  queueEvent,
  storedNotifications,
} from '../../../support/alerting.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { type Answering, receiver } from '../../../support/receiver.ts'

const broken = '{{moment CHECK_NAME "X"}}'

/** Changes the stored config of a channel, as an older version would have taken it. */
const storeConfig = async ({ app, accountId }: TestApp, id: number, changes: object): Promise<void> => {
  const row = await app.db.get(findChannel, { id, accountId })
  if (!row) throw new Error('There is no such channel')
  const config = { ...openConfig(app.cipher, row), ...changes }
  const content = contentColumns(app.cipher, id, { type: 'WEBHOOK', config, flags: flagsOf(row) })
  await app.db.run(updateChannel, { ...row, ...content })
}

const alertWith = async (t: Test, changes: (origin: string) => object, answer?: () => Answering) => {
  const given = await testApp(t, { env: loopbackEnv })
  const hook = await receiver(t, answer)
  const id = await addChannel(given, 'WEBHOOK', { name: 'w', url: hook.origin })
  await storeConfig(given, id, changes(hook.origin))
  await queueEvent(given.app, alertEvent({ accountId: given.accountId }), [id])
  await dispatch(given.app)
  const [notification] = await storedNotifications(given.app)
  return { ...given, hook, notification, id }
}

t.test('every format token that is accepted is sent', async (t) => {
  const given = await testApp(t, { env: loopbackEnv })
  const hook = await receiver(t)
  for (const token of [...Object.keys(momentTokens), ...Object.keys(longFormats)]) {
    const config = {
      name: token,
      url: `${hook.origin}/{{moment "${token}"}}`,
      template: `{"at": "{{moment "today" "YYYY [week] ${token}"}}"}`,
      headers: [{ key: 'x-at', value: `{{date STARTED_AT "${token}"}}` }],
    }
    const id = await addChannel(given, 'WEBHOOK', config)
    await queueEvent(given.app, alertEvent({ accountId: given.accountId }), [id])
  }
  await dispatch(given.app)
  const notifications = await storedNotifications(given.app)
  t.equal(hook.received.length, notifications.length)
  for (const { status, tries, result } of notifications)
    t.match({ status, tries, result }, { status: 'SUCCESS', tries: 1, result: 'HTTP 200: ok' })
  for (const { json } of hook.received) t.match(json.at, /^2026 week .+/)
})

t.test('a template that cannot be filled in is refused by field, with the reason', async (t) => {
  const { call } = await testApp(t)
  const reason = /is no template that can be filled in: "moment" reads a date or words like "2 days ago"/
  const rows: Array<[field: string, config: object]> = [
    ['url', { url: `https://example.com/${broken}` }],
    ['template', { template: `{"at": "${broken}"}` }],
    ['template', { template: broken, method: 'GET' }],
    ['headers.0.value', { headers: [{ key: 'x-at', value: broken }] }],
    ['queryParameters.0.value', { queryParameters: [{ key: 'at', value: broken }] }],
    ['webhookSecret', { webhookSecret: broken }],
    ['template', { template: `{{#eq ALERT_TYPE "ALERT_RECOVERY"}}${broken}{{/eq}}` }],
    ['template', { template: `{{#if SSL_CHECK_DOMAIN}}${broken}{{/if}}` }],
    ['template', { template: `{{#if IS_REMINDER}}${broken}{{/if}}` }],
  ]
  const violationsOf = async (type: string, config: object) => {
    const { status, body } = await call('POST', '/v1/alert-channels', { body: { type, config } })
    t.equal(status, 400)
    return body.attributes.violations
  }
  for (const [field, config] of rows)
    t.match(
      await violationsOf('WEBHOOK', { name: 'w', url: 'https://example.com', ...config }),
      [{ path: `config.${field}`, message: reason }],
      JSON.stringify(config),
    )
  t.match(await violationsOf('PAGERDUTY', { serviceKey: '{{moment "no date" "X"}}' }), [
    { path: 'config.serviceKey' },
  ])
})

t.test('a variable that is no date is noticed when the template is saved, and is not repeated', async (t) => {
  const { call } = await testApp(t)
  const variable = { key: 'RELEASED', value: 'not-a-date-but-secret', secret: true }
  await call('POST', '/v1/variables', { body: variable })
  const config = { name: 'w', url: 'https://example.com', template: '{{moment RELEASED "X"}}' }
  const { status, text } = await call('POST', '/v1/alert-channels', { body: { type: 'WEBHOOK', config } })
  t.equal(status, 400)
  t.notMatch(text, variable.value)
  const changes = { value: '2026-01-01', secret: true }
  t.equal((await call('PUT', '/v1/variables/RELEASED', { body: changes })).status, 200)
  t.equal((await call('POST', '/v1/alert-channels', { body: { type: 'WEBHOOK', config } })).status, 201)
})

t.test('templates of one channel share a limit', async (t) => {
  const { call } = await testApp(t)
  const headers = Array.from({ length: 100 }, (_, i) => ({ key: `x-${i}`, value: '{{REGION}}'.repeat(800) }))
  const config = { name: 'w', url: 'https://example.com', headers }
  const { status, body } = await call('POST', '/v1/alert-channels', { body: { type: 'WEBHOOK', config } })
  t.equal(status, 400)
  t.match(body.attributes.violations[0], { path: 'config.headers.2.value', message: /together/ })
})

t.test(
  'a stored body template that fails is replaced by the default body, once, and both say so',
  async (t) => {
    const { hook, notification, call, id } = await alertWith(t, () => ({
      template: `{"text": "${broken}"}`,
      headers: [
        { key: 'Content-Type', value: 'text/csv' },
        { key: 'x-own', value: '{{CHECK_NAME}}' },
      ],
    }))
    t.match(notification, { status: 'SUCCESS', tries: 1, due_at: null })
    t.match(
      notification?.result,
      /^The alert channel's template cannot be filled in for the body \("moment" reads .*\): the alert is sent in its default form\. HTTP 200: ok$/,
    )
    t.equal(hook.received.length, 1)
    t.match(hook.received[0], {
      headers: { 'content-type': 'application/json', 'x-own': 'Home page' },
      json: {
        event: 'Check "Home page" has failed',
        notice: /^The alert channel's template cannot .* the body \(/,
      },
    })
    const { body } = await call('POST', `/v1/alert-channels/${id}/test`)
    t.match(body, { delivered: true, answer: /cannot be filled in for the body .* HTTP 200: ok$/ })
  },
)

const parts: Array<[name: string, changes: (origin: string) => object, got: object]> = [
  [
    'the header x-at',
    () => ({
      headers: [
        { key: 'x-at', value: broken },
        { key: 'x-own', value: '{{REGION}}' },
      ],
      template: 'own',
    }),
    { path: '/', headers: { 'x-at': undefined, 'x-own': 'eu-west-1' } },
  ],
  [
    'the query parameter at',
    () => ({
      queryParameters: [
        { key: 'at', value: broken },
        { key: 'in', value: '{{REGION}}' },
      ],
    }),
    { path: '/?in=eu-west-1' },
  ],
  ['the secret', () => ({ webhookSecret: broken }), { headers: { 'x-service-signature': undefined } }],
  [
    'the address',
    (origin) => ({ url: `${origin}/hook/{{REGION}}?at=${broken}&type={{ALERT_TYPE}}` }),
    { path: '/hook/eu-west-1?at=&type=ALERT_FAILURE' },
  ],
  [
    'the address',
    (origin) => ({ url: `${origin}/hook/{{#if REGION}}{{REGION}}` }),
    { path: '/hook/eu-west-1' },
  ],
]

for (const [name, changes, got] of parts)
  t.test(`a stored template of ${name} that fails is left out, and the default body says so`, async (t) => {
    const { hook, notification } = await alertWith(t, changes)
    t.match(notification, { status: 'SUCCESS', tries: 1 })
    t.ok(notification?.result.includes(`cannot be filled in for ${name} (`))
    t.equal(hook.received.length, 1)
    const [{ json, path, headers } = { json: {}, path: '', headers: {} }] = hook.received
    t.match({ path, headers }, got)
    t.equal(json.event, 'Check "Home page" has failed')
    t.ok(json.notice.includes(`cannot be filled in for ${name} (`))
  })

t.test('nobody else is told when the host itself cannot be known', async (t) => {
  const { hook, notification } = await alertWith(t, (origin) => ({
    url: `{{#if (compare REGION "=~" 1)}}x{{/if}}${origin}/hook`,
  }))
  t.equal(hook.received.length, 0)
  t.match(notification, {
    status: 'FAILURE',
    tries: 1,
    result: /the address names no host without it: "compare" knows/,
  })
})

t.test('a bot of Telegram still writes to the chat of its template', async (t) => {
  const { hook } = await alertWith(t, () => ({
    webhookType: 'WEBHOOK_TELEGRAM',
    template: `chat_id={{CHECK_TYPE}}7&parse_mode=HTML&text=${broken}`,
  }))
  const sent = new URLSearchParams(hook.received[0]?.text)
  t.equal(sent.get('chat_id'), 'API7')
  t.match(sent.get('text'), /<b>Check .*has failed<\/b>[\s\S]*Note: The alert channel&#39;s template cannot/)
})

t.test(
  'a receiver that refuses the default body is asked again, and the dead letter says both',
  async (t) => {
    const { app, advance, hook } = await alertWith(
      t,
      () => ({ template: broken }),
      () => ({ status: 500 }),
    )
    for (let tries = 1; tries < 5; tries++) {
      advance(20_000)
      await dispatch(app)
    }
    t.equal(hook.received.length, 5)
    t.match(await storedNotifications(app), [
      { status: 'FAILURE', tries: 5, result: /cannot be filled in for the body .*\. HTTP 500/ },
    ])
  },
)
