import { each, type RuleTest, testRules } from '../../support/contract-rules.ts'
import {
  createOne,
  type FieldRule,
  field,
  type Resource,
  refused,
  withValue,
} from '../../support/field-rules.ts'
import { browserCheck, threeKinds, urlMonitor } from '../../support/kinds-of-checks.ts'
import { hasShape } from '../../support/shapes.ts'

const onAll = (path: string, rule: FieldRule): RuleTest =>
  each(...threeKinds.map((kind) => field(kind, path, rule)))
const retried = (path: string, rule: FieldRule): RuleTest =>
  each(...[urlMonitor, browserCheck].map((kind) => field(kind, path, rule)))

const group: Resource = { create: '/v1/check-groups', minimum: () => ({ name: 'shop' }) }
const onGroup = (path: string, rule: FieldRule): RuleTest => field(group, path, rule)
const type = 'type'

/** With a service of the account for it to name. */
const incident =
  (path: string, rule: FieldRule): RuleTest =>
  async (t, plane) => {
    const { id } = (await plane.call('POST', '/v1/status-pages/services', { body: { name: 'shop' } })).body
    const triggerIncident = { serviceId: id, name: 'The shop is down' }
    for (const kind of threeKinds) await field(kind, path, { ...rule, beside: { triggerIncident } })(t, plane)
  }

const subscription =
  (item: object, expected?: string): RuleTest =>
  async (t, plane) => {
    const config = { address: 'ada@example.com' }
    const channel = await plane.call('POST', '/v1/alert-channels', { body: { type: 'EMAIL', config } })
    const alertChannelSubscriptions = [{ alertChannelId: channel.body.id, activated: true, ...item }]
    if (expected === undefined) {
      const check = await createOne(t, plane, urlMonitor, { alertChannelSubscriptions })
      const [shown] = check.alertChannelSubscriptions.filter(
        ({ alertChannelId }: { alertChannelId: number }) => alertChannelId === channel.body.id,
      )
      t.match(shown, alertChannelSubscriptions[0])
    } else {
      const body = { ...(await urlMonitor.minimum(plane)), alertChannelSubscriptions }
      await refused(t, plane, { path: urlMonitor.create, body, expected })
    }
  }

const variables = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ key: `KEY_${i}`, value: 'x', locked: false, secret: false }))
const variable = (rule: FieldRule): RuleTest =>
  each(field(browserCheck, 'environmentVariables', rule), onGroup('environmentVariables', rule))

const assertion = (more: object) => ({ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200', ...more })

testRules('Shared objects', {
  'alertSettings.escalationType: text, `RUN_BASED`': onAll('alertSettings.escalationType', {
    valid: ['RUN_BASED'],
    invalid: [
      ['OTHER', 'enum'],
      [1, 'enum'],
    ],
  }),
  'alertSettings.runBasedEscalation.failedRunThreshold: a number of failed runs': onAll(
    'alertSettings.runBasedEscalation.failedRunThreshold',
    {
      valid: [1, 2, 3, 4, 5],
      invalid: [
        [0, 'enum'],
        [6, 'enum'],
        ['1', 'enum'],
      ],
    },
  ),
  'alertSettings.reminders.amount: a number of reminders': onAll('alertSettings.reminders.amount', {
    valid: [0, 1, 5, 100_000],
    invalid: [
      [-1, 'enum'],
      [6, 'enum'],
      ['1', 'enum'],
    ],
  }),
  'alertSettings.reminders.interval: a number': onAll('alertSettings.reminders.interval', {
    valid: [1, 5, 30],
    invalid: [
      [0, 'enum'],
      [31, 'enum'],
      ['5', 'enum'],
    ],
  }),
  'alertSettings.parallelRunFailureThreshold.enabled: a boolean': onAll(
    'alertSettings.parallelRunFailureThreshold.enabled',
    { valid: [true, false], invalid: [['yes', type]] },
  ),
  'alertSettings.parallelRunFailureThreshold.percentage: a number': onAll(
    'alertSettings.parallelRunFailureThreshold.percentage',
    {
      valid: [10, 50, 100],
      invalid: [
        [0, 'enum'],
        [101, 'enum'],
        ['10', 'enum'],
      ],
    },
  ),
  'alertSettings: check groups have the same': onGroup('alertSettings', {
    valid: [{ escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: 3 } }],
    invalid: [[{ escalationType: 'OTHER' }, 'alertSettings.escalationType enum']],
  }),
  'retryStrategy.baseBackoffSeconds: a number': retried('retryStrategy.baseBackoffSeconds', {
    valid: [0, 1.5, 600],
    invalid: [
      [-1, 'minimum'],
      [601, 'maximum'],
      ['1', type],
    ],
  }),
  'retryStrategy.sameRegion: a boolean': retried('retryStrategy.sameRegion', {
    valid: [true, false],
    invalid: [[1, type]],
  }),
  'retryStrategy.maxRetries: a number': retried('retryStrategy.maxRetries', {
    valid: [1, 10],
    invalid: [
      [0, 'minimum'],
      [11, 'maximum'],
      ['1', type],
    ],
  }),
  'retryStrategy.maxDurationSeconds: a number': retried('retryStrategy.maxDurationSeconds', {
    valid: [0, 600],
    invalid: [
      [-1, 'minimum'],
      [601, 'maximum'],
      ['1', type],
    ],
  }),
  'retryStrategy.onlyOn: a list': retried('retryStrategy.onlyOn', {
    valid: [[], ['NETWORK_ERROR']],
    invalid: [
      ['NETWORK_ERROR', type],
      [['RAIN'], 'retryStrategy.onlyOn.0 enum'],
    ],
  }),
  'retryStrategy: an object, on check groups also the text FALLBACK': each(
    onGroup('retryStrategy', {
      valid: ['FALLBACK', { baseBackoffSeconds: 5, maxRetries: 1 }],
      invalid: [['NEVER', 'pattern']],
    }),
    retried('retryStrategy', { invalid: [['FALLBACK', type]] }),
  ),
  'triggerIncident.serviceId: text, that of a service': each(
    incident('triggerIncident.serviceId', {
      invalid: [
        [7, type],
        ['nothing', 'exists'],
      ],
    }),
    incident('triggerIncident', {
      invalid: [[{ name: 'down' }, 'triggerIncident.serviceId required']],
    }),
  ),
  'triggerIncident.name: text': incident('triggerIncident.name', {
    valid: ['Down'],
    invalid: [[7, type]],
  }),
  'triggerIncident.description: text': incident('triggerIncident.description', {
    valid: ['', 'We are looking at it'],
    invalid: [[7, type]],
  }),
  'triggerIncident.notifySubscribers: a boolean': incident('triggerIncident.notifySubscribers', {
    valid: [true, false],
    invalid: [['yes', type]],
  }),
  'alertChannelSubscriptions[].alertChannelId: a number, that of a channel': each(
    subscription({}),
    subscription({ alertChannelId: 'x' }, 'alertChannelSubscriptions.0.alertChannelId type'),
    subscription({ alertChannelId: 2_000_000 }, 'alertChannelSubscriptions.0.alertChannelId exists'),
  ),
  'alertChannelSubscriptions[].activated: a boolean': each(
    subscription({ activated: true }),
    subscription({ activated: false }),
    subscription({ activated: 1 }, 'alertChannelSubscriptions.0.activated type'),
  ),
  'environmentVariables[].key and value: text': variable({
    valid: [
      [
        { key: 'A', value: '' },
        { key: 'B', value: 'x' },
      ],
    ],
    invalid: [
      [[{ key: 1, value: 'x' }], 'environmentVariables.0.key type'],
      [[{ key: 'A', value: 1 }], 'environmentVariables.0.value type'],
      [[{ value: 'x' }], 'environmentVariables.0.key required'],
    ],
  }),
  'environmentVariables[].locked: a boolean, default false': async (t, plane) => {
    for (const kind of [browserCheck, group]) {
      const body = {
        environmentVariables: [
          { key: 'A', value: 'x' },
          { key: 'B', value: 'y', locked: true },
        ],
      }
      const shown = await createOne(t, plane, kind, body)
      t.match(shown.environmentVariables, [
        { key: 'A', locked: false },
        { key: 'B', locked: true },
      ])
    }
    await variable({
      invalid: [[[{ key: 'A', value: 'x', locked: 'no' }], 'environmentVariables.0.locked type']],
    })(t, plane)
  },
  'environmentVariables[].secret: a boolean, default false': async (t, plane) => {
    for (const kind of [browserCheck, group]) {
      const body = {
        environmentVariables: [
          { key: 'A', value: 'x' },
          { key: 'B', value: 'hidden', secret: true },
        ],
      }
      const shown = await createOne(t, plane, kind, body)
      t.match(shown.environmentVariables, [
        { key: 'A', secret: false },
        { key: 'B', secret: true },
      ])
      t.notMatch(JSON.stringify(shown), /hidden/, 'the value of a secret is not shown')
    }
    await variable({
      invalid: [[[{ key: 'A', value: 'x', secret: 1 }], 'environmentVariables.0.secret type']],
    })(t, plane)
  },
  'environmentVariables: at most 100 items': variable({
    valid: [variables(0), variables(100)],
    invalid: [[variables(101), 'maxItems']],
  }),
  'alertChannels: e-mail, webhook, Slack and SMS channels with their fields': async (t, plane) => {
    const channels = [
      { type: 'EMAIL', config: { address: 'grace@example.com' } },
      {
        type: 'WEBHOOK',
        config: {
          name: 'hook',
          url: 'https://hooks.example.com/x',
          method: 'POST',
          headers: [{ key: 'A', value: 'b', locked: false }],
          queryParameters: [{ key: 'q', value: '1', locked: false }],
        },
      },
      { type: 'SLACK', config: { url: 'https://hooks.slack.com/services/a/b/c', channel: '#ops' } },
      { type: 'SMS', config: { number: '+491701234567', name: 'Grace' } },
    ]
    for (const body of channels) {
      const answer = await plane.call('POST', '/v1/alert-channels', { body })
      t.equal(answer.status, 201, answer.text)
    }
    for (const kind of threeKinds) {
      const { alertChannels } = await createOne(t, plane, kind)
      hasShape(t, alertChannels.email.at(-1), { address: 'text' })
      hasShape(t, alertChannels.webhook.at(-1), {
        url: 'text',
        name: 'text',
        method: 'text',
        headers: 'list',
        queryParameters: 'list',
      })
      hasShape(t, alertChannels.webhook.at(-1).headers[0], { key: 'text', value: 'text', locked: 'boolean' })
      hasShape(t, alertChannels.webhook.at(-1).queryParameters[0], {
        key: 'text',
        value: 'text',
        locked: 'boolean',
      })
      hasShape(t, alertChannels.slack.at(-1), { url: 'text' })
      hasShape(t, alertChannels.sms.at(-1), { number: 'text', name: 'text' })
    }
  },
  'assertions[].source: text, `STATUS_CODE`': each(
    field(urlMonitor, 'request.assertions', {
      valid: [[assertion({})]],
      invalid: [[[assertion({ source: 'MOOD' })], 'request.assertions.0.source enum']],
    }),
    onGroup('apiCheckDefaults.assertions', { valid: [[assertion({})]] }),
  ),
  'assertions[].comparison: text, `EQUALS` and `NOT_EMPTY`': each(
    field(urlMonitor, 'request.assertions', {
      valid: [[assertion({})]],
      invalid: [[[assertion({ comparison: 'RESEMBLES' })], 'request.assertions.0.comparison enum']],
    }),
    onGroup('apiCheckDefaults.assertions', {
      valid: [[assertion({}), assertion({ comparison: 'NOT_EMPTY' })]],
      invalid: [[[assertion({ comparison: 'RESEMBLES' })], 'apiCheckDefaults.assertions.0.comparison enum']],
    }),
  ),
  'assertions[].target: text in requests': each(
    field(urlMonitor, 'request.assertions', {
      valid: [[assertion({ target: '204' })]],
      invalid: [[[assertion({ target: 204 })], 'request.assertions.0.target type']],
    }),
    async (t, plane) => {
      const body = withValue({ name: 'shop' }, 'apiCheckDefaults.assertions', [assertion({ target: 200 })])
      const expected = 'apiCheckDefaults.assertions.0.target type'
      await refused(t, plane, { path: group.create, body, expected })
    },
  ),
})
