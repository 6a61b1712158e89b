import t from 'tap'
import {
  type ChannelTypeName,
  channelTypes,
} from '../../../../control-plane/alerting/channels/channel-type.ts'
import { channels } from '../../../../control-plane/alerting/channels/index.ts'
import {
  maskConfig,
  unmaskConfig,
  writersConfig,
} from '../../../../control-plane/alerting/channels/secrets.ts'
import {
  looksMasked,
  maskAddress,
  maskTail,
  maskUrl,
} from '../../../../control-plane/platform/services/secrets/masks.ts'
import { compile } from '../../../../protocol/validate.ts'
import { fc } from '../../../support/fast-check.ts'
import '../../../support/patience.ts'

type Cases = { good: object[]; bad: object[] }
const url = 'https://example.com/x'
const opsgenie = { name: 'o', apiKey: 'k', region: 'EU', priority: 'P1' }

const cases: Record<ChannelTypeName, Cases> = {
  EMAIL: { good: [{ address: 'a@example.com' }], bad: [{}, { address: 'a' }, { address: 'a@b.c', x: 1 }] },
  SLACK: { good: [{ url }, { url, channel: '#ops' }], bad: [{}, { url: 'slack' }, { channel: '#ops' }] },
  SLACK_APP: {
    good: [{ slackChannels: ['#ops', '@ada', 'C012AB'] }],
    bad: [{}, { slackChannels: [] }, { slackChannels: ['ops'] }, { slackChannels: '#ops' }],
  },
  WEBHOOK: {
    good: [
      { name: 'w', url },
      { name: 'w', url: '{{{BASE}}}/hook', method: 'PATCH', template: '{}', webhookType: 'WEBHOOK_ILERT' },
      {
        name: 'w',
        url,
        headers: [{ key: 'a', value: '' }],
        queryParameters: [{ key: 'b', value: 'c', locked: true }],
      },
    ],
    bad: [
      { name: 'w' },
      { url },
      { name: 'w', url: 'ftp://x' },
      { name: 'w', url, method: 'TRACE' },
      { name: 'w', url, webhookType: 'OTHER' },
      { name: 'w', url, headers: [{ key: 'a b', value: '' }] },
      { name: 'w', url, headers: [{ key: 'a' }] },
    ],
  },
  SMS: {
    good: [{ number: '+4915112345678' }, { name: 'Ada', number: '+12345678901234' }],
    bad: [
      { number: '004915' },
      { number: '+49 151' },
      { number: '+123456789012345' },
      { name: 'Ada' },
      { number: '+0123' },
    ],
  },
  CALL: {
    good: [{ number: '+4915112345678' }],
    bad: [{ number: '4915' }, { number: '+49-151' }, {}],
  },
  PAGERDUTY: {
    good: [{ serviceKey: 'k' }, { serviceKey: 'k', account: 'a', serviceName: 's' }],
    bad: [{}, { serviceKey: '' }, { serviceKey: 'k', other: 1 }],
  },
  OPSGENIE: {
    good: [opsgenie],
    bad: [
      ...['name', 'apiKey', 'region', 'priority'].map((field) => ({ ...opsgenie, [field]: undefined })),
      { ...opsgenie, region: 'AP' },
      { ...opsgenie, priority: 'P6' },
    ],
  },
}

for (const type of channelTypes)
  t.test(`the config of ${type} takes what its contract names and nothing else`, async (t) => {
    const validate = compile(channels[type].config)
    const check = (config: object) => validate(JSON.parse(JSON.stringify(config))).ok
    for (const config of cases[type].good) t.ok(check(config), JSON.stringify(config))
    for (const config of cases[type].bad) t.notOk(check(config), JSON.stringify(config))
  })

t.test('a webhook is posted unless told otherwise', async (t) => {
  const checked = compile(channels.WEBHOOK.config)({ name: 'w', url })
  t.match(checked, { ok: true, value: { method: 'POST', headers: [], queryParameters: [] } })
})

t.test('masks show the last four characters of what is long enough, and no more', async (t) => {
  t.equal(maskTail('0123456789abcdef'), '***cdef')
  t.equal(maskTail('short'), '***')
  t.equal(maskUrl('https://example.com/a?b=c'), 'https://example.com/a?b=c')
  t.equal(maskUrl('https://u:p@example.com/a?api_key=c&d=e'), 'https://***@example.com/a?api_key=***&d=e')
  t.equal(maskUrl('https://discord.com/api/webhooks/1/abcdefghijkl'), 'https://discord.com/***ijkl')
  for (const masked of ['***', '***cdef', 'https://a.b/***cret', 'https://***@a.b/', 'https://a.b/?key=***'])
    t.ok(looksMasked(masked), masked)
  for (const plain of ['secret', 'https://a.b/c', '** bold **', '****', 'a***b'])
    t.notOk(looksMasked(plain), plain)
})

const addresses: Record<string, string> = {
  'https://hooks.example/services/T0/abcdefghijkl': 'https://hooks.example/***ijkl',
  'https://hooks.example/services/T0/short': 'https://hooks.example/***',
  'https://hooks.example/a-long-path?token=short': 'https://hooks.example/***',
  'https://hooks.example/a?token=abcdefghijkl': 'https://hooks.example/***ijkl',
  'https://hooks.example?token=short': 'https://hooks.example/***',
  'https://hooks.example#fragment': 'https://hooks.example/***',
  'https://hooks.example:8443/\nsecret': 'https://hooks.example:8443/***',
  'https://hooks.example\\secret': 'https://hooks.example/***',
  'https://hooks.example': 'https://hooks.example',
  'https://hooks.example/': 'https://hooks.example/',
  'https://[::1]:80/secret': 'https://[::1]:80/***',
  'https://ada:secret@hooks.example': 'https://***@hooks.example',
  'https://ada:secret@hooks.example/x': 'https://***@hooks.example/***',
  'https://ada:se@cret@hooks.example/x': 'https://***@hooks.example/***',
  // No address: where the password ends cannot be told.
  'https://ada:se/cret@hooks.example/x': 'https://***',
  'https://hooks.example:80secret/x': 'https://***',
  'https://\\hooks.example/secret': 'https://***',
  '{{URL}}': '{{URL}}',
  '{{{BASE}}}/secret': '{{{BASE}}}/***',
  'https://{{HOST}}:{{PORT}}/secret': 'https://{{HOST}}:{{PORT}}/***',
  'https://{{USER}}:secret@{{HOST}}/x': 'https://***@{{HOST}}/***',
  '{{USER}}:secret@hooks.example/x': '{{USER}}/***',
  '{{#if A}}https://hooks.example/secret{{/if}}': 'https://***',
  'https://{{#if A}}a{{/if}}.example/secret': 'https://***',
}

t.test('of an address, only where it leads is shown', async (t) => {
  for (const [address, mask] of Object.entries(addresses)) {
    t.equal(maskAddress(address), mask, address)
    t.equal(looksMasked(mask), mask !== address, `the mask of ${address} is known as one`)
  }
})

const value = fc.string({ minLength: 1, maxLength: 30 }).filter((text) => !looksMasked(text))
const plain = { noNullPrototype: true }
const key = fc.constantFrom('a', 'A', 'b', 'Authorization')
const field = fc.record({ key, value, locked: fc.boolean() }, plain)
const webhookConfig = fc.record(
  {
    name: fc.constant('w'),
    url: fc.constantFrom(
      'https://example.com/a',
      'https://u:p@example.com/?token=t',
      'https://discord.com/api/x1234567890',
      'https://hooks.example/{{TOKEN}}/in?team=web',
      '{{URL}}',
    ),
    webhookSecret: value,
    headers: fc.array(field, { maxLength: 5 }),
    queryParameters: fc.array(field, { maxLength: 5 }),
  },
  plain,
)

t.test('a masked config that comes back is the stored one again, for any config', async (t) => {
  fc.assert(
    fc.property(webhookConfig, (config) => {
      const masked = maskConfig('WEBHOOK', config)
      const back = unmaskConfig('WEBHOOK', masked, { type: 'WEBHOOK', config })
      t.strictSame(back, { config, violations: [] })
      const written = unmaskConfig('WEBHOOK', writersConfig('WEBHOOK', config), { type: 'WEBHOOK', config })
      t.strictSame(written, { config, violations: [] }, 'as who may write it reads it')
      for (const place of channels.WEBHOOK.secretsOf(config))
        if (place.kind !== 'plain' && config.webhookSecret.length >= 12)
          t.notOk(JSON.stringify(masked).includes(JSON.stringify(config.webhookSecret)))
    }),
    { numRuns: 200 },
  )
})

t.test('a mask of another type or of nothing is a violation', async (t) => {
  const stored = { type: 'PAGERDUTY' as const, config: { serviceKey: '0123456789abcdef' } }
  const sent = { name: 'o', apiKey: '***cdef', region: 'EU', priority: 'P1' }
  t.match(unmaskConfig('OPSGENIE', sent, stored).violations, [{ path: 'config.apiKey' }])
  t.match(unmaskConfig('OPSGENIE', sent, null).violations, [{ path: 'config.apiKey' }])
  const address = 'https://hooks.example/abcdefghijkl'
  const hook = { type: 'SLACK' as const, config: { url: address } }
  for (const url of [
    'https://elsewhere.example/***ijkl',
    'https://hooks.example/***',
    'https://hooks.example/***mnop',
  ])
    t.match(unmaskConfig('SLACK', { url }, hook).violations, [{ path: 'config.url' }], url)
})
