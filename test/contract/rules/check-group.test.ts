import { each, type RuleTest, testRules } from '../../support/contract-rules.ts'
import { createOne, type FieldRule, field, type Resource, responseOnly } from '../../support/field-rules.ts'
import { hasShape } from '../../support/shapes.ts'

const group: Resource = { create: '/v1/check-groups', minimum: () => ({ name: 'shop' }) }
const on = (path: string, rule: FieldRule): RuleTest => field(group, path, rule)
const boolean = (path: string, byDefault: boolean): RuleTest =>
  on(path, { byDefault, valid: [true, false], invalid: [['yes', 'type']] })
const scriptOrNull = (path: string): RuleTest =>
  on(path, { valid: ['// code', null], invalid: [[1, 'type']] })
const pairs = (path: string): RuleTest =>
  on(path, {
    valid: [[], [{ key: 'accept', value: 'text/html' }]],
    invalid: [
      [[{ key: 1, value: 'x' }], `${path}.0.key type`],
      [[{ key: 'a', value: 1 }], `${path}.0.value type`],
    ],
  })

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
const variables = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ key: `KEY_${i}`, value: 'x' }))

testRules('Check group', {
  'id: number, response only': each(responseOnly(group, 'id', 7), async (t, plane) =>
    hasShape(t, await createOne(t, plane, group), { id: 'number' }),
  ),
  'name: text, always in responses': each(
    on('name', { valid: ['a'], invalid: [[1, 'type']] }),
    async (t, plane) => hasShape(t, await createOne(t, plane, group), { name: 'text' }),
  ),
  'activated: boolean, default true, always in responses': boolean('activated', true),
  'muted: boolean, default false': boolean('muted', false),
  'tags: list of text': on('tags', {
    valid: [[], ['a', 'b']],
    invalid: [
      ['a', 'type'],
      [[1], 'tags.0 type'],
    ],
  }),
  'locations: list of locations': on('locations', {
    valid: [[], ['eu-west-1', 'us-east-1']],
    invalid: [
      [['mars-1'], 'locations.0 enum'],
      ['eu-west-1', 'type'],
    ],
  }),
  'privateLocations: list of text or null': on('privateLocations', {
    valid: [null, [], ['local']],
    invalid: [
      [[1], 'privateLocations.0 type'],
      [['nowhere'], 'exists'],
    ],
  }),
  'concurrency: number from 1, default 3, always in responses': on('concurrency', {
    byDefault: 3,
    valid: [1, 2, 1000],
    invalid: [
      [0, 'minimum'],
      [-1, 'minimum'],
      ['3', 'type'],
    ],
  }),
  'apiCheckDefaults: an object, always in responses': each(
    on('apiCheckDefaults', { invalid: [['x', 'type']] }),
    async (t, plane) => {
      const { apiCheckDefaults } = await createOne(t, plane, group)
      hasShape(t, apiCheckDefaults, {
        url: 'text',
        headers: 'list',
        queryParameters: 'list',
        assertions: 'list',
      })
    },
  ),
  'apiCheckDefaults.url: text': on('apiCheckDefaults.url', {
    valid: ['https://api.example.com'],
    invalid: [[1, 'type']],
  }),
  'apiCheckDefaults.headers[]: key and value': pairs('apiCheckDefaults.headers'),
  'apiCheckDefaults.queryParameters[]: key and value': pairs('apiCheckDefaults.queryParameters'),
  'apiCheckDefaults.assertions: a list': on('apiCheckDefaults.assertions', {
    valid: [[], [{ source: 'STATUS_CODE', comparison: 'NOT_EMPTY', target: '' }]],
    invalid: [[{}, 'type']],
  }),
  'apiCheckDefaults.basicAuth: username and password': on('apiCheckDefaults.basicAuth', {
    valid: [{ username: 'ada', password: 'lovelace' }],
    invalid: [
      [{ username: 1, password: 'x' }, 'apiCheckDefaults.basicAuth.username type'],
      [{ username: 'ada', password: 1 }, 'apiCheckDefaults.basicAuth.password type'],
    ],
  }),
  'browserCheckDefaults: text': on('browserCheckDefaults', { valid: ['', 'x'], invalid: [[1, 'type']] }),
  'runtimeId: a runtime or null': on('runtimeId', {
    valid: ['2026.04', '2022.10', null],
    invalid: [['latest', 'enum']],
  }),
  'environmentVariables: a list of at most 100 items, or null': on('environmentVariables', {
    valid: [null, [], variables(100)],
    invalid: [[variables(101), 'maxItems']],
  }),
  'doubleCheck: boolean, default true': boolean('doubleCheck', true),
  'useGlobalAlertSettings: boolean, default true': boolean('useGlobalAlertSettings', true),
  'useGlobalAlertSettings: responses may be null': async (t, plane) => {
    const created = await plane.call('POST', '/v2/check-groups', { body: { name: 'shop' } })
    const shown = await plane.call('GET', `/v1/check-groups/${created.body.id}`)
    t.equal(shown.body.useGlobalAlertSettings, null)
  },
  'alertSettings: an object': on('alertSettings', {
    valid: [{ reminders: { amount: 1 } }],
    invalid: [[1, 'type']],
  }),
  'alertChannelSubscriptions: a list': on('alertChannelSubscriptions', {
    valid: [[]],
    invalid: [
      [{}, 'type'],
      [[{ alertChannelId: 1_000_000 }], 'alertChannelSubscriptions.0.alertChannelId exists'],
    ],
  }),
  'setupSnippetId: number of a snippet, or null': snippet('setupSnippetId'),
  'tearDownSnippetId: number of a snippet, or null': snippet('tearDownSnippetId'),
  'localSetupScript: text or null': scriptOrNull('localSetupScript'),
  'localTearDownScript: text or null': scriptOrNull('localTearDownScript'),
  'runParallel: boolean, default false': boolean('runParallel', false),
  'retryStrategy: an object or FALLBACK': on('retryStrategy', {
    valid: ['FALLBACK', { maxRetries: 3, sameRegion: false }],
    invalid: [
      ['NEVER', 'pattern'],
      [1, 'type'],
    ],
  }),
  'created_at: date, response only': each(responseOnly(group, 'created_at', '2026-01-01'), async (t, plane) =>
    hasShape(t, await createOne(t, plane, group), { created_at: 'instant' }),
  ),
  'updated_at: date-time or null, response only': each(
    responseOnly(group, 'updated_at', '2026-01-01T00:00:00.000Z'),
    async (t, plane) => {
      const { id, updated_at } = await createOne(t, plane, group)
      t.equal(updated_at, null, 'null until it is changed')
      const changed = await plane.call('PUT', `/v1/check-groups/${id}`, { body: { muted: true } })
      hasShape(t, changed.body, { updated_at: 'instant' })
    },
  ),
  'every field of the table is in what is read, with its type': async (t, plane) =>
    hasShape(t, await createOne(t, plane, group), {
      id: 'integer',
      name: 'text',
      activated: 'boolean',
      muted: 'boolean',
      tags: 'texts',
      locations: 'texts',
      privateLocations: 'texts?',
      concurrency: 'number',
      apiCheckDefaults: 'object',
      browserCheckDefaults: 'text',
      runtimeId: 'text?',
      environmentVariables: 'list?',
      doubleCheck: 'boolean',
      useGlobalAlertSettings: 'boolean?',
      alertSettings: 'object?',
      alertChannelSubscriptions: 'list',
      setupSnippetId: 'number?',
      tearDownSnippetId: 'number?',
      localSetupScript: 'text?',
      localTearDownScript: 'text?',
      runParallel: 'boolean?',
    }),
})
