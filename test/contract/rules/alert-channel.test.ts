import { each, type RuleTest, testRules } from '../../support/contract-rules.ts'
import {
  createOne,
  type FieldRule,
  field,
  type Resource,
  required,
  responseOnly,
} from '../../support/field-rules.ts'
import { urlMonitor } from '../../support/kinds-of-checks.ts'
import { hasShape } from '../../support/shapes.ts'

const channel: Resource = {
  create: '/v1/alert-channels',
  minimum: () => ({ type: 'EMAIL', config: { address: 'ada@example.com' } }),
}
const on = (path: string, rule: FieldRule): RuleTest => field(channel, path, rule)
const boolean = (path: string, byDefault?: boolean): RuleTest =>
  on(path, {
    ...(byDefault === undefined ? {} : { byDefault }),
    valid: [true, false],
    invalid: [['yes', 'type']],
  })

const phone = { name: 'Ada', number: '+491701234567' }
const configs: Record<string, object> = {
  EMAIL: { address: 'ada@example.com' },
  SLACK: { url: 'https://hooks.slack.com/services/a/b/c', channel: '#ops' },
  SLACK_APP: { slackChannels: ['#ops'] },
  WEBHOOK: { name: 'hook', url: 'https://hooks.example.com/x', method: 'POST' },
  SMS: phone,
  PAGERDUTY: { serviceKey: 'abcdefghijklmnop' },
  OPSGENIE: { name: 'ops', apiKey: 'abcdefghijklmnop', region: 'EU', priority: 'P1' },
  CALL: phone,
}

testRules('Alert channel', {
  'id: number': each(responseOnly(channel, 'id', 7), async (t, plane) =>
    hasShape(t, await createOne(t, plane, channel), { id: 'number' }),
  ),
  'type: each of the eight types and no other, required': each(
    required(channel, 'type'),
    on('type', { invalid: [['PIGEON', 'enum']] }),
    async (t, plane) => {
      for (const [type, config] of Object.entries(configs))
        t.equal((await createOne(t, plane, channel, { type, config })).type, type)
    },
  ),
  'config: an object that varies by type, required': each(
    required(channel, 'config'),
    on('config', { invalid: [['ada@example.com', 'type']] }),
    async (t, plane) => {
      for (const [type, config] of Object.entries(configs)) {
        hasShape(t, await createOne(t, plane, channel, { type, config }), { config: 'object' })
        const body = { type, config: { mood: 'good' } }
        t.equal(
          (await plane.call('POST', channel.create, { body })).status,
          400,
          `${type} has fields of its own`,
        )
      }
    },
  ),
  'subscriptions: the checks subscribed to the channel': async (t, plane) => {
    const check = await createOne(t, plane, urlMonitor)
    const subscriptions = [{ checkId: check.id, activated: true }]
    t.match((await createOne(t, plane, channel, { subscriptions })).subscriptions, subscriptions)
    await on('subscriptions', { invalid: [['x', 'type']] })(t, plane)
  },
  'sendRecovery: boolean': boolean('sendRecovery'),
  'sendFailure: boolean': boolean('sendFailure'),
  'sendDegraded: boolean': boolean('sendDegraded'),
  'sslExpiry: boolean, default false': boolean('sslExpiry', false),
  'sslExpiryThreshold: integer, default 30, 1 to 30': on('sslExpiryThreshold', {
    byDefault: 30,
    valid: [1, 30],
    invalid: [
      [0, 'minimum'],
      [31, 'maximum'],
      [1.5, 'type'],
    ],
  }),
  'autoSubscribe: boolean, default false': boolean('autoSubscribe', false),
  'autoSubscribe: newly created checks are subscribed': async (t, plane) => {
    const { id } = await createOne(t, plane, channel, { autoSubscribe: true })
    const body = await urlMonitor.minimum(plane)
    await plane.call('POST', '/v1/checks/url?autoAssignAlerts=false', { body })
    const { subscriptions } = (await plane.call('GET', `${channel.create}/${id}`)).body
    t.equal(subscriptions.length, 1)
    await plane.call('DELETE', `${channel.create}/${id}`)
  },
  'created_at: date-time': async (t, plane) =>
    hasShape(t, await createOne(t, plane, channel), { created_at: 'instant' }),
  'updated_at: date-time or null': async (t, plane) => {
    const { id, updated_at } = await createOne(t, plane, channel)
    t.equal(updated_at, null, 'null until it is changed')
    const body = await channel.minimum(plane)
    const changed = await plane.call('PUT', `${channel.create}/${id}`, { body })
    hasShape(t, changed.body, { updated_at: 'instant' })
  },
  'every field of the table is in what is read, with its type': async (t, plane) =>
    hasShape(t, await createOne(t, plane, channel), {
      id: 'number',
      type: 'text',
      config: 'object',
      subscriptions: 'list',
      sendRecovery: 'boolean',
      sendFailure: 'boolean',
      sendDegraded: 'boolean',
      sslExpiry: 'boolean',
      sslExpiryThreshold: 'integer',
      autoSubscribe: 'boolean',
      created_at: 'instant',
      updated_at: 'instant?',
    }),
})
