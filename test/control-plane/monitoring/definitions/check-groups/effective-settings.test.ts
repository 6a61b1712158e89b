import t from 'tap'
import {
  type CheckSettings,
  effectiveSettings,
  type GroupSettings,
} from '../../../../../control-plane/monitoring/definitions/check-groups/effective-settings.ts'
import { checkKinds } from '../../../../../control-plane/monitoring/definitions/checks/types/index.ts'
import { fc } from '../../../../support/fast-check.ts'

const check: CheckSettings = {
  activated: true,
  muted: false,
  tags: ['own'],
  locations: ['eu-west-1'],
  privateLocations: ['office'],
  runParallel: false,
  retryStrategy: { type: 'LINEAR' },
  alertSettings: { escalationType: 'RUN_BASED' },
  useGlobalAlertSettings: false,
  runtimeId: null,
  environmentVariables: [{ key: 'A', value: 'check', locked: false }],
  request: { headers: [], queryParameters: [], assertions: [], basicAuth: null },
}

/** As v2 writes it when only the name is given: it leaves everything to its checks. */
const group: GroupSettings = {
  activated: true,
  muted: false,
  tags: [],
  locations: [],
  privateLocations: [],
  runParallel: null,
  retryStrategy: 'FALLBACK',
  alertSettings: null,
  useGlobalAlertSettings: null,
  runtimeId: null,
  environmentVariables: [],
  apiCheckDefaults: { url: '', headers: [], queryParameters: [], assertions: [], basicAuth: null },
}

const item = (key: string, value: string) => ({ key, value, locked: false })
const api = (request: object): Partial<CheckSettings> => ({
  request: { ...(check.request as object), ...request },
})
const defaults = (more: object): Partial<GroupSettings> => ({
  apiCheckDefaults: { ...group.apiCheckDefaults, ...more },
})

type Rule = [string, Partial<CheckSettings>, Partial<GroupSettings>, Partial<CheckSettings>]
const rules: Rule[] = [
  ['a group that says nothing changes nothing', {}, {}, check],
  ['an inactive group stops its checks', {}, { activated: false }, { activated: false }],
  ['an active group does not start an inactive check', { activated: false }, {}, { activated: false }],
  ['a muted group mutes its checks', {}, { muted: true }, { muted: true }],
  ['a muted check stays muted', { muted: true }, {}, { muted: true }],
  ['tags of both count, once', {}, { tags: ['own', 'group'] }, { tags: ['own', 'group'] }],
  [
    'public locations of the group replace all of the check',
    {},
    { locations: ['us-east-1'] },
    { locations: ['us-east-1'], privateLocations: [] },
  ],
  [
    'private locations of the group replace all of the check',
    {},
    { privateLocations: ['lab'] },
    { locations: [], privateLocations: ['lab'] },
  ],
  [
    'a group without locations leaves them to the check',
    {},
    { privateLocations: null },
    { locations: ['eu-west-1'], privateLocations: ['office'] },
  ],
  ['runParallel true is for all', {}, { runParallel: true }, { runParallel: true }],
  ['runParallel false is for all', { runParallel: true }, { runParallel: false }, { runParallel: false }],
  ['runParallel null leaves it to the check', { runParallel: true }, {}, { runParallel: true }],
  [
    'a retry strategy of the group is for all',
    {},
    { retryStrategy: { type: 'FIXED' } },
    { retryStrategy: { type: 'FIXED' } },
  ],
  ['a retry strategy of null is no retries for all', {}, { retryStrategy: null }, { retryStrategy: null }],
  ['FALLBACK leaves retries to the check', {}, {}, { retryStrategy: { type: 'LINEAR' } }],
  [
    'useGlobalAlertSettings true: the account’s for all',
    {},
    { useGlobalAlertSettings: true, alertSettings: { escalationType: 'TIME_BASED' } },
    { useGlobalAlertSettings: true },
  ],
  [
    'useGlobalAlertSettings false: the group’s for all',
    { useGlobalAlertSettings: true },
    { useGlobalAlertSettings: false, alertSettings: { escalationType: 'TIME_BASED' } },
    { useGlobalAlertSettings: false, alertSettings: { escalationType: 'TIME_BASED' } },
  ],
  [
    'alertSettings alone are for all, too',
    { useGlobalAlertSettings: true },
    { alertSettings: { escalationType: 'TIME_BASED' } },
    { useGlobalAlertSettings: false, alertSettings: { escalationType: 'TIME_BASED' } },
  ],
  [
    'neither of them leaves alerting to the check',
    { useGlobalAlertSettings: true },
    {},
    { useGlobalAlertSettings: true, alertSettings: { escalationType: 'RUN_BASED' } },
  ],
  ['the check’s runtime wins', { runtimeId: '2024.09' }, { runtimeId: '2026.04' }, { runtimeId: '2024.09' }],
  ['the group’s runtime is for checks without one', {}, { runtimeId: '2025.04' }, { runtimeId: '2025.04' }],
  [
    'variables come together, the check’s win',
    {},
    { environmentVariables: [item('A', 'group'), item('B', 'group')] },
    { environmentVariables: [item('B', 'group'), item('A', 'check')] },
  ],
  [
    'headers come together, the check’s win in any case of their names',
    api({ headers: [item('X-Key', 'check')] }),
    defaults({ headers: [item('x-key', 'group'), item('Accept', 'group')] }),
    api({ headers: [item('Accept', 'group'), item('X-Key', 'check')] }),
  ],
  [
    'query parameters come together, the check’s win',
    api({ queryParameters: [item('q', 'check')] }),
    defaults({ queryParameters: [item('q', 'group'), item('Q', 'group')] }),
    api({ queryParameters: [item('Q', 'group'), item('q', 'check')] }),
  ],
  [
    'assertions are added',
    api({ assertions: ['check'] }),
    defaults({ assertions: ['group'] }),
    api({ assertions: ['check', 'group'] }),
  ],
  [
    'basic auth is for checks without their own',
    {},
    defaults({ basicAuth: { username: 'g', password: 'p' } }),
    api({ basicAuth: { username: 'g', password: 'p' } }),
  ],
  [
    'basic auth of the check wins',
    api({ basicAuth: { username: 'c', password: '' } }),
    defaults({ basicAuth: { username: 'g', password: 'p' } }),
    api({ basicAuth: { username: 'c', password: '' } }),
  ],
  ['empty basic auth is none', {}, defaults({ basicAuth: { username: '', password: '' } }), api({})],
]

for (const [name, ofCheck, ofGroup, expected] of rules)
  t.test(name, async (t) => {
    const settings = effectiveSettings({ ...check, ...ofCheck }, { ...group, ...ofGroup }, checkKinds.API)
    for (const [field, value] of Object.entries(expected))
      t.strictSame(settings[field as keyof CheckSettings], value, field)
  })

t.test('only the requests of API checks get defaults', async (t) => {
  const given = { ...check, request: { url: 'https://example.com/' } }
  const settings = effectiveSettings(
    given,
    { ...group, ...defaults({ headers: [item('A', 'b')] }) },
    checkKinds.URL,
  )
  t.strictSame(settings.request, given.request)
})

t.test('fields that a type does not have are not made up', async (t) => {
  const { retryStrategy: _r, environmentVariables: _e, ...few } = check
  const settings = effectiveSettings(
    few,
    { ...group, retryStrategy: null, environmentVariables: [item('A', 'b')] },
    checkKinds.URL,
  )
  t.notOk('retryStrategy' in settings)
  t.notOk('environmentVariables' in settings)
})

const names = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 })
const items = fc.uniqueArray(fc.record({ key: fc.constantFrom('A', 'B', 'C'), value: fc.string() }), {
  selector: ({ key }) => key,
})
const strategies = fc.constantFrom<object | null>(null, { type: 'FIXED' }, { type: 'LINEAR' })
const anyCheck = fc.record({
  activated: fc.boolean(),
  muted: fc.boolean(),
  tags: names,
  locations: fc.option(names),
  privateLocations: fc.option(names),
  runParallel: fc.boolean(),
  retryStrategy: strategies,
  useGlobalAlertSettings: fc.boolean(),
  alertSettings: fc.constantFrom<object | null>(null, { by: 'check' }),
  runtimeId: fc.constantFrom(null, '2026.04'),
  environmentVariables: items.map((all) => all.map(({ key, value }) => item(key, value))),
})
const anyGroup = fc.record({
  activated: fc.boolean(),
  muted: fc.boolean(),
  tags: names,
  locations: names,
  privateLocations: fc.option(names),
  runParallel: fc.option(fc.boolean()),
  retryStrategy: fc.oneof(strategies, fc.constant('FALLBACK' as const)),
  useGlobalAlertSettings: fc.option(fc.boolean()),
  alertSettings: fc.constantFrom<object | null>(null, { by: 'group' }),
  runtimeId: fc.constantFrom(null, '2025.04'),
  environmentVariables: items.map((all) => all.map(({ key, value }) => item(key, value))),
  apiCheckDefaults: fc.constant(group.apiCheckDefaults),
})

t.test('whatever check and group say', async () => {
  fc.assert(
    fc.property(anyCheck, anyGroup, (own, shared) => {
      const settings = effectiveSettings(own, shared, checkKinds.BROWSER)
      const keys = settings.environmentVariables?.map(({ key }) => key) ?? []
      const values = new Map(settings.environmentVariables?.map(({ key, value }) => [key, value]))
      return (
        effectiveSettings(own, null, checkKinds.BROWSER) === own &&
        settings.activated === (own.activated && shared.activated) &&
        settings.muted === (own.muted || shared.muted) &&
        [...own.tags, ...shared.tags].every((tag) => settings.tags.includes(tag)) &&
        new Set(settings.tags).size === settings.tags.length &&
        new Set(keys).size === keys.length &&
        own.environmentVariables.every(({ key, value }) => values.get(key) === value) &&
        shared.environmentVariables.every(({ key }) => values.has(key)) &&
        // Applying it twice is applying it once.
        JSON.stringify(sorted(effectiveSettings(settings, shared, checkKinds.BROWSER))) ===
          JSON.stringify(sorted(settings))
      )
    }),
  )
})

const sorted = ({ environmentVariables = [], ...rest }: CheckSettings) => ({
  ...rest,
  environmentVariables: [...(environmentVariables ?? [])].sort((a, b) => a.key.localeCompare(b.key)),
})
