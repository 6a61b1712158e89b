import { createHmac, randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import type { ChannelTypeName } from '../../../../control-plane/alerting/channels/channel-type.ts'
import type { Deps } from '../../../../control-plane/alerting/channels/delivery.ts'
import { channels } from '../../../../control-plane/alerting/channels/index.ts'
import type { AlertEvent } from '../../../../control-plane/alerting/messages/alert-event.ts'
import { messageOf } from '../../../../control-plane/alerting/messages/message.ts'
import { fill } from '../../../../control-plane/alerting/templates/fill.ts'
import { nothingSpent } from '../../../../control-plane/alerting/templates/template-meter.ts'
import { createMail } from '../../../../control-plane/platform/services/mail/mail.ts'
import { createOutgoing } from '../../../../control-plane/platform/services/outgoing/outgoing.ts'
import { createOutgoingNetworks } from '../../../../control-plane/platform/services/outgoing/outgoing-networks.ts'
import { readConfig } from '../../../../control-plane/read-config.ts'
import { alertEvent } from '../../../support/alerting.ts'
import { type Answering, receiver } from '../../../support/receiver.ts'

const now = Date.UTC(2026, 0, 1, 0, 0, 2)
const id = '0b4c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11'
const outgoing = createOutgoing({ networks: createOutgoingNetworks(['127.0.0.0/8']) })

const deps = (env: Record<string, string> = {}): Deps => ({
  outgoing,
  mail: createMail({ settings: null }),
  providers: readConfig(env).providers,
  now,
  fillTexts: async (filling) => fill({ ...filling, spent: nothingSpent, now, seed: randomBytes(32) }),
  variables: new Map([['TOKEN', 's3cr/t+&']]),
  analysis: {},
  delivered: [],
  hide: (text) => text,
})

const link = 'https://watchpost.example/results/token'
const message = (more: Partial<AlertEvent> = {}) => messageOf(alertEvent(more), { id, link })

const send = (
  type: ChannelTypeName,
  config: object,
  more: { event?: Partial<AlertEvent>; deps?: Deps } = {},
) => channels[type].send(message(more.event), config as Record<string, unknown>, more.deps ?? deps())

const recovery = { alertType: 'ALERT_RECOVERY', errorMessage: null } as const
const checkKey = 'watchpost-check-6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11'

t.test('every kind of alert has its title', async (t) => {
  const titles: Array<[Partial<AlertEvent>, string]> = [
    [{}, 'Check "Home page" has failed'],
    [{ reminder: 2 }, 'Check "Home page" is still failing (reminder 2)'],
    [{ alertType: 'ALERT_DEGRADED' }, 'Check "Home page" is degraded'],
    [{ alertType: 'ALERT_FAILURE_DEGRADED' }, 'Check "Home page" no longer fails but is degraded'],
    [recovery, 'Check "Home page" has recovered'],
    [
      { alertType: 'ALERT_SSL', ssl: { domain: 'a.b', daysRemaining: 1 } },
      'SSL certificate of "a.b" expires in 1 day',
    ],
    [
      { alertType: 'ALERT_SSL', ssl: { domain: 'a.b', daysRemaining: -1 } },
      'SSL certificate of "a.b" has expired',
    ],
  ]
  for (const [event, title] of titles) t.equal(message(event).title, title)
})

t.test('a webhook is filled in, encoded for each place, signed and stamped', async (t) => {
  const hook = await receiver(t)
  const config = {
    name: 'w',
    url: `${hook.origin}/{{TOKEN}}?a=1`,
    method: 'PUT',
    template: '{"event": "{{ALERT_TITLE}}", "n": {{RESPONSE_TIME}}, "again": {{IS_REMINDER}} }',
    webhookSecret: 'key',
    headers: [{ key: 'Authorization', value: 'Bearer {{TOKEN}}' }],
    queryParameters: [{ key: 'region', value: '{{REGION}} {{TOKEN}}' }],
  }
  t.equal(await send('WEBHOOK', config, { event: { reminder: 1 } }), 'HTTP 200: ok')
  const [got] = hook.received
  t.match(got, {
    method: 'PUT',
    path: '/s3cr%2Ft%2B%26?a=1&region=eu-west-1%20s3cr%2Ft%2B%26',
    json: { event: 'Check "Home page" is still failing (reminder 1)', n: 214, again: true },
    headers: {
      authorization: 'Bearer s3cr/t+&',
      'content-type': 'application/json',
      'x-service-timestamp': String(now),
      'x-service-notification-id': id,
      'x-service-signature': createHmac('sha256', 'key')
        .update(got?.text ?? '')
        .digest('hex'),
    },
  })
  await send('WEBHOOK', { name: 'w', url: hook.origin, method: 'GET', template: 'x' })
  t.match(hook.received[1], { method: 'GET', text: '' })
})

t.test('webhooks without a template get the body that their type expects', async (t) => {
  const hook = await receiver(t)
  const bodies: Array<[string | undefined, Partial<AlertEvent>, object]> = [
    [
      undefined,
      {},
      {
        event: 'Check "Home page" has failed',
        link,
        alert_type: 'ALERT_FAILURE',
        tags: ['env:prod', 'team=web', 'shop'],
      },
    ],
    [
      'WEBHOOK_INCIDENTIO',
      {},
      { status: 'firing', deduplication_key: alertEvent().checkId, metadata: { resultLink: link } },
    ],
    ['WEBHOOK_INCIDENTIO', recovery, { status: 'resolved' }],
    ['WEBHOOK_MSTEAMS', {}, { attachments: [{ content: { type: 'AdaptiveCard', version: '1.2' } }] }],
    ['WEBHOOK_DISCORD', {}, { embeds: [{ url: link, title: 'Check "Home page" has failed' }] }],
    ['WEBHOOK_FIREHYDRANT', recovery, { status: 'CLOSED', idempotency_key: checkKey }],
    ['WEBHOOK_GITLAB_ALERT', recovery, { fingerprint: checkKey, end_time: '2026-01-01T00:00:01.000Z' }],
    ['WEBHOOK_ILERT', recovery, { eventType: 'RESOLVE', alertKey: checkKey }],
    ['WEBHOOK_SPLUNK', {}, { message_type: 'CRITICAL', entity_id: checkKey }],
    ['WEBHOOK_CORALOGIX', {}, [{ applicationName: 'Watchpost', severity: 5 }]],
    ['WEBHOOK_ROOTLY', {}, { event: 'Check "Home page" has failed' }],
  ]
  for (const [webhookType, event, expected] of bodies) {
    await send('WEBHOOK', { name: 'w', url: hook.origin, ...(webhookType ? { webhookType } : {}) }, { event })
    t.match(hook.received.at(-1)?.json, expected, webhookType ?? 'general')
  }
  const telegram = { name: 'w', url: hook.origin, webhookType: 'WEBHOOK_TELEGRAM' }
  await send('WEBHOOK', telegram)
  t.match(
    new URLSearchParams(hook.received.at(-1)?.text).get('text'),
    '<b>Check &quot;Home page&quot; has failed</b>',
  )
  await send(
    'WEBHOOK',
    { ...telegram, template: 'chat_id=7&parse_mode=HTML&text=<b>{{CHECK_NAME}}</b>' },
    { event: { checkName: 'a<b & c' } },
  )
  t.equal(new URLSearchParams(hook.received.at(-1)?.text).get('text'), '<b>a&lt;b &amp; c</b>')
})

t.test('Slack gets blocks, by webhook and by the app, and no markup of a check', async (t) => {
  const hook = await receiver(
    t,
    ({ json }): Answering => ({
      body: json?.channel === '#gone' ? '{"ok":false,"error":"channel_not_found"}' : '{"ok":true}',
    }),
  )
  await send('SLACK', { url: hook.origin, channel: '#ops' }, { event: { checkName: '<!channel> *x*' } })
  const [first] = hook.received
  t.match(first?.json, {
    channel: '#ops',
    attachments: [
      {
        color: '#d92d20',
        blocks: [{ type: 'section' }, { type: 'section' }, { type: 'section' }, { type: 'actions' }],
      },
    ],
  })
  t.notMatch(first?.text, /<!channel>/)
  const app = deps({ SLACK_APP_TOKEN: 'xoxb-1', SLACK_BASE_URL: hook.origin })
  const failure = await send('SLACK_APP', { slackChannels: ['#a', '#gone', '#b'] }, { deps: app }).catch(
    (error) => error,
  )
  t.match(failure, {
    name: 'DeliveryError',
    permanent: true,
    delivered: ['#a'],
    message: /#gone: .*channel_not_found/,
  })
  t.match(hook.received[1], { path: '/chat.postMessage', headers: { authorization: 'Bearer xoxb-1' } })
  const answer = await send(
    'SLACK_APP',
    { slackChannels: ['#a', '#b'] },
    { deps: { ...app, delivered: ['#a'] } },
  )
  t.equal(answer, 'Posted to #a, #b')
  t.equal(hook.received.length, 4, 'what was posted is not posted again')
})

t.test('PagerDuty and Opsgenie open one incident per check and close it', async (t) => {
  const hook = await receiver(t, () => ({ status: 202, body: '{}' }))
  const given = deps({ PAGERDUTY_BASE_URL: hook.origin, OPSGENIE_BASE_URL: hook.origin })
  const pager = (event: Partial<AlertEvent>) => send('PAGERDUTY', { serviceKey: 'k' }, { event, deps: given })
  await pager({})
  await pager({ alertType: 'ALERT_DEGRADED' })
  await pager(recovery)
  const key = { routing_key: 'k', dedup_key: checkKey }
  t.match(hook.received[0], {
    path: '/v2/enqueue',
    json: { ...key, event_action: 'trigger', payload: { severity: 'critical' } },
  })
  t.match(hook.received[1]?.json, { ...key, event_action: 'trigger', payload: { severity: 'warning' } })
  t.strictSame(hook.received[2]?.json, { ...key, event_action: 'resolve' })
  const config = { name: 'o', apiKey: 'g', region: 'EU', priority: 'P2' }
  await send('OPSGENIE', config, { deps: given })
  await send('OPSGENIE', config, { event: recovery, deps: given })
  t.match(hook.received[3], {
    path: '/v2/alerts',
    headers: { authorization: 'GenieKey g' },
    json: { alias: checkKey, priority: 'P2' },
  })
  t.equal(hook.received[4]?.path, `/v2/alerts/${checkKey}/close?identifierType=alias`)
})

t.test('what is critical is more urgent than what is low, wherever a receiver knows degrees', async (t) => {
  const hook = await receiver(t, () => ({ status: 202, body: '{}' }))
  const given = deps({ PAGERDUTY_BASE_URL: hook.origin, OPSGENIE_BASE_URL: hook.origin })
  const config = { name: 'o', apiKey: 'g', region: 'EU', priority: 'P1' }
  for (const severity of ['LOW', 'CRITICAL'] as const)
    for (const alertType of ['ALERT_FAILURE', 'ALERT_DEGRADED'] as const) {
      await send('PAGERDUTY', { serviceKey: 'k' }, { event: { severity, alertType }, deps: given })
      await send('OPSGENIE', config, { event: { severity, alertType }, deps: given })
    }
  const degrees = hook.received.map(({ json }) => {
    const { payload, priority } = json as { payload?: { severity: string }; priority?: string }
    return payload?.severity ?? priority
  })
  t.strictSame(degrees, ['warning', 'P2', 'info', 'P2', 'critical', 'P1', 'error', 'P1'])
  await send('WEBHOOK', { name: 'w', url: hook.origin, template: '{{ALERT_SEVERITY}}' })
  t.equal(hook.received.at(-1)?.text, 'NORMAL')
  const facts = (severity: AlertEvent['severity']) =>
    message({ severity }).facts.filter(({ label }) => label === 'Severity')
  t.strictSame(facts('CRITICAL'), [{ label: 'Severity', value: 'Critical' }])
  t.strictSame(facts('NORMAL'), [], 'what most are is not said')
})

t.test('text messages and calls go through the gateway', async (t) => {
  const hook = await receiver(t, () => ({ status: 201, body: '{"sid":"SM1"}' }))
  const given = deps({
    TWILIO_ACCOUNT_SID: 'AC1',
    TWILIO_AUTH_TOKEN: 'tok',
    TWILIO_FROM: '+14155550100',
    TWILIO_BASE_URL: hook.origin,
  })
  t.equal(await send('SMS', { number: '+4915112345678' }, { deps: given }), 'HTTP 201: SM1')
  await send('CALL', { number: '+4915112345678' }, { deps: given, event: { checkName: 'a & b' } })
  const [text, call] = hook.received
  t.equal(text?.headers.authorization, `Basic ${Buffer.from('AC1:tok').toString('base64')}`)
  t.equal(text?.path, '/2010-04-01/Accounts/AC1/Messages.json')
  t.ok((new URLSearchParams(text?.text).get('Body') ?? '').length <= 300)
  t.match(
    new URLSearchParams(call?.text).get('Twiml'),
    '<Response><Say loop="2">Watchpost alert. Check &quot;a &amp; b&quot; has failed',
  )
})

t.test('a provider that is not set is named, and nothing is tried again', async (t: Test) => {
  const cases: Array<[ChannelTypeName, object, string]> = [
    ['EMAIL', { address: 'a@example.com' }, 'SMTP_URL'],
    ['SLACK_APP', { slackChannels: ['#a'] }, 'SLACK_APP_TOKEN'],
    ['SMS', { number: '+491511' }, 'TWILIO_ACCOUNT_SID'],
    ['CALL', { number: '+491511' }, 'TWILIO_ACCOUNT_SID'],
  ]
  for (const [type, config, variable] of cases) {
    const failure = await send(type, config).catch((error: Error) => error)
    t.match(failure, { name: 'DeliveryError', permanent: true, message: new RegExp(variable) }, type)
  }
})
