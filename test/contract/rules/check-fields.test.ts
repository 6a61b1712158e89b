import { each, type RuleTest, testRules } from '../../support/contract-rules.ts'
import {
  createOne,
  type FieldRule,
  field,
  notTaken,
  required,
  responseOnly,
} from '../../support/field-rules.ts'
import { threeKinds } from '../../support/kinds-of-checks.ts'
import { hasShape } from '../../support/shapes.ts'

const onAll = (path: string, rule: FieldRule): RuleTest =>
  each(...threeKinds.map((kind) => field(kind, path, rule)))
const boolean = (path: string, byDefault: boolean): RuleTest =>
  onAll(path, {
    byDefault,
    valid: [true, false],
    invalid: [
      ['yes', 'type'],
      [null, 'type'],
    ],
  })
const onlyShown = (name: string, value: unknown): RuleTest =>
  each(...threeKinds.map((kind) => responseOnly(kind, name, value)))

const privateLocations: RuleTest = async (t, plane) => {
  await onAll('privateLocations', {
    valid: [null, [], ['local']],
    invalid: [
      ['local', 'type'],
      [[1], 'privateLocations.0 type'],
      [['nowhere'], 'exists'],
    ],
  })(t, plane)
}

const group: RuleTest = async (t, plane) => {
  const { id } = (await plane.call('POST', '/v1/check-groups', { body: { name: 'shop' } })).body
  await onAll('groupId', {
    valid: [null, id],
    invalid: [
      ['7', 'type'],
      [1_000_000, 'exists'],
    ],
  })(t, plane)
}

testRules('Fields shared by checks', {
  'id: text, response only': each(onlyShown('id', 'x'), async (t, plane) => {
    for (const kind of threeKinds) hasShape(t, await createOne(t, plane, kind), { id: 'uuid' })
  }),
  'name: text, required': each(
    ...threeKinds.map((kind) => required(kind, 'name')),
    onAll('name', {
      valid: ['a', 'x'.repeat(255)],
      invalid: [
        [1, 'type'],
        [null, 'type'],
        ['', 'minLength'],
      ],
    }),
  ),
  'activated: boolean, default true': boolean('activated', true),
  'muted: boolean, default false': boolean('muted', false),
  'doubleCheck: boolean, default true': boolean('doubleCheck', true),
  'shouldFail: boolean, default false': boolean('shouldFail', false),
  'locations: list of locations or null': onAll('locations', {
    valid: [null, [], ['eu-west-1'], ['us-east-1', 'eu-west-1']],
    invalid: [
      ['eu-west-1', 'type'],
      [[1], 'locations.0 enum'],
    ],
  }),
  'privateLocations: list of private locations or null': privateLocations,
  'tags: list of text': onAll('tags', {
    byDefault: [],
    valid: [[], ['a', 'b']],
    invalid: [
      ['a', 'type'],
      [[1], 'tags.0 type'],
    ],
  }),
  'alertSettings: an object': onAll('alertSettings', {
    valid: [{ escalationType: 'RUN_BASED' }],
    invalid: [['RUN_BASED', 'type']],
  }),
  'useGlobalAlertSettings: boolean, default true': boolean('useGlobalAlertSettings', true),
  'groupId: number of a check group, or null': group,
  'groupOrder: number from 0, or null': onAll('groupOrder', {
    valid: [null, 0, 1],
    invalid: [
      [-1, 'minimum'],
      ['1', 'type'],
    ],
  }),
  'runtimeId: a runtime or null': onAll('runtimeId', {
    valid: [null, '2026.04'],
    invalid: [['latest', 'enum']],
  }),
  'alertChannelSubscriptions: a list': onAll('alertChannelSubscriptions', {
    byDefault: [],
    valid: [[]],
    invalid: [[{}, 'type']],
  }),
  'retryStrategy: an object, of browser and URL checks': each(
    ...threeKinds
      .filter(({ create }) => !create.endsWith('heartbeat'))
      .map((kind) =>
        field(kind, 'retryStrategy', { valid: [{ maxRetries: 3 }], invalid: [['twice', 'type']] }),
      ),
    ...threeKinds
      .filter(({ create }) => create.endsWith('heartbeat'))
      .map((kind) => notTaken(kind, 'retryStrategy', { maxRetries: 3 })),
  ),
  'triggerIncident: an object': onAll('triggerIncident', { invalid: [['shop', 'type']] }),
  'runParallel: boolean, default false': boolean('runParallel', false),
  'description: text or null, at most 500 characters': onAll('description', {
    valid: [null, '', 'x'.repeat(500)],
    invalid: [
      ['x'.repeat(501), 'maxLength'],
      [1, 'type'],
    ],
  }),
  'created_at: date, response only': each(onlyShown('created_at', '2026-01-01'), async (t, plane) => {
    for (const kind of threeKinds) hasShape(t, await createOne(t, plane, kind), { created_at: 'instant' })
  }),
  'updated_at: date-time or null, response only': each(
    onlyShown('updated_at', '2026-01-01T00:00:00.000Z'),
    async (t, plane) => {
      for (const kind of threeKinds) {
        const { id, updated_at } = await createOne(t, plane, kind)
        t.equal(updated_at, null, 'null until it is changed')
        const changed = await plane.call('PUT', `${kind.create}/${id}`, { body: { name: 'renamed' } })
        hasShape(t, changed.body, { updated_at: 'instant' })
      }
    },
  ),
  'alertChannels: an object, response only': each(onlyShown('alertChannels', {}), async (t, plane) => {
    for (const kind of threeKinds) {
      const { alertChannels } = await createOne(t, plane, kind)
      hasShape(t, alertChannels, { email: 'list', webhook: 'list', slack: 'list', sms: 'list' })
    }
  }),
  'checkType: `BROWSER`, `URL` or `HEARTBEAT`, by type': async (t, plane) => {
    for (const kind of threeKinds) {
      const type = kind.create.split('/').at(-1)?.toUpperCase()
      t.equal((await createOne(t, plane, kind)).checkType, type)
      const body = { ...(await kind.minimum(plane)), checkType: 'API' }
      t.equal((await plane.call('POST', kind.create, { body })).status, 400, 'no other is taken')
    }
  },
  'every field of the table is in what is read, with its type': async (t, plane) => {
    for (const kind of threeKinds)
      hasShape(t, await createOne(t, plane, kind), {
        name: 'text',
        activated: 'boolean',
        muted: 'boolean',
        doubleCheck: 'boolean',
        shouldFail: 'boolean',
        locations: 'texts?',
        privateLocations: 'texts?',
        tags: 'texts',
        alertSettings: 'object',
        useGlobalAlertSettings: 'boolean',
        groupId: 'number?',
        groupOrder: 'number?',
        runtimeId: 'text?',
        alertChannelSubscriptions: 'list',
        ...(kind.create.endsWith('heartbeat') ? {} : { retryStrategy: 'object?' }),
        triggerIncident: 'object?',
        runParallel: 'boolean',
        description: 'text?',
        frequency: 'integer',
      })
  },
})
