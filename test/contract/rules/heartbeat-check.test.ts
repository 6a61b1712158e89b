import { each, type RuleTest, testRules } from '../../support/contract-rules.ts'
import { createOne, type FieldRule, field, required } from '../../support/field-rules.ts'
import { heartbeatCheck } from '../../support/kinds-of-checks.ts'
import { hasShape } from '../../support/shapes.ts'

const on = (path: string, rule: FieldRule): RuleTest => field(heartbeatCheck, path, rule)
const scriptOrNull = (path: string): RuleTest =>
  on(path, { valid: ['// code', null], invalid: [[1, 'type']] })
const variables = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ key: `KEY_${i}`, value: 'x' }))

const snippet =
  (path: string): RuleTest =>
  async (t, plane) => {
    const { id } = (await plane.call('POST', '/v1/snippets', { body: { name: 'a', script: '' } })).body
    await on(path, {
      valid: [id, null],
      invalid: [
        ['1', 'type'],
        [1_000_000, 'exists'],
      ],
    })(t, plane)
  }

testRules('Heartbeat check', {
  'heartbeat: an object, required': each(
    required(heartbeatCheck, 'heartbeat'),
    on('heartbeat', {
      invalid: [
        ['daily', 'type'],
        [null, 'type'],
      ],
    }),
  ),
  'heartbeat.period: a number': on('heartbeat.period', { valid: [30, 60.5], invalid: [['60', 'type']] }),
  'heartbeat.grace: a number': on('heartbeat.grace', { valid: [0, 10.5], invalid: [['60', 'type']] }),
  'heartbeat.pingToken: text': each(
    on('heartbeat.pingToken', { invalid: [[1, 'type']] }),
    async (t, plane) => {
      const pingToken = plane.app.newId()
      const shown = await createOne(t, plane, heartbeatCheck, {
        heartbeat: { period: 60, grace: 0, pingToken },
      })
      t.equal(shown.heartbeat.pingToken, pingToken, 'one that is sent is kept')
      hasShape(t, (await createOne(t, plane, heartbeatCheck)).heartbeat, { pingToken: 'text' })
    },
  ),
  'heartbeat.pingUrl: response only, the address to ping': async (t, plane) => {
    const { heartbeat } = await createOne(t, plane, heartbeatCheck)
    t.ok(heartbeat.pingUrl.endsWith(`/${heartbeat.pingToken}`), heartbeat.pingUrl)
    const { pathname } = new URL(heartbeat.pingUrl)
    t.equal((await plane.call('GET', pathname, { key: null })).status, 200, 'it takes a ping')
    const sent = { period: 60, grace: 0, pingUrl: heartbeat.pingUrl }
    const other = await createOne(t, plane, heartbeatCheck, { heartbeat: sent })
    t.not(other.heartbeat.pingUrl, heartbeat.pingUrl, 'one that is sent is ignored')
  },
  'script: text, required': each(
    // The contract requires it and nothing reads it: it may be left out (docs/decisions/interface.md).
    on('script', { byDefault: null, valid: ['', '// code', null], invalid: [[1, 'type']] }),
  ),
  'frequencyOffset: an integer from 1': on('frequencyOffset', {
    valid: [1, 100],
    invalid: [
      [0, 'minimum'],
      [1.5, 'type'],
    ],
  }),
  'request: an object': on('request', { valid: [{}, { url: 'x' }], invalid: [['x', 'type']] }),
  'scriptPath: text or null': on('scriptPath', { valid: ['a.js', null], invalid: [[1, 'type']] }),
  'sslCheckDomain: text': on('sslCheckDomain', { valid: ['shop.example.com'], invalid: [[1, 'type']] }),
  'environmentVariables: a list of at most 100 items, or null': on('environmentVariables', {
    valid: [null, [], variables(100)],
    invalid: [[variables(101), 'maxItems']],
  }),
  'setupSnippetId: number of a snippet, or null': snippet('setupSnippetId'),
  'tearDownSnippetId: number of a snippet, or null': snippet('tearDownSnippetId'),
  'localSetupScript: text or null': scriptOrNull('localSetupScript'),
  'localTearDownScript: text or null': scriptOrNull('localTearDownScript'),
  'degradedResponseTime: milliseconds or null, default 10000, 0 to 300000': on('degradedResponseTime', {
    byDefault: 10_000,
    beside: { maxResponseTime: null },
    valid: [null, 0, 300_000],
    invalid: [
      [-1, 'minimum'],
      [300_001, 'maximum'],
    ],
  }),
  'maxResponseTime: milliseconds or null, default 20000, 0 to 300000': each(
    on('maxResponseTime', { byDefault: 20_000 }),
    on('maxResponseTime', {
      beside: { degradedResponseTime: null },
      valid: [null, 0, 300_000],
      invalid: [
        [-1, 'minimum'],
        [300_001, 'maximum'],
      ],
    }),
  ),
  'every field of the table is in what is read, with its type': async (t, plane) => {
    const shown = await createOne(t, plane, heartbeatCheck, { frequencyOffset: 1, request: {} })
    hasShape(t, shown, {
      heartbeat: 'object',
      script: 'text',
      frequencyOffset: 'integer',
      request: 'object',
      scriptPath: 'text?',
      sslCheckDomain: 'text?',
      environmentVariables: 'list?',
      setupSnippetId: 'number?',
      tearDownSnippetId: 'number?',
      localSetupScript: 'text?',
      localTearDownScript: 'text?',
      degradedResponseTime: 'number?',
      maxResponseTime: 'number?',
    })
    hasShape(t, shown.heartbeat, { period: 'number', grace: 'number', pingToken: 'text', pingUrl: 'text' })
  },
})
