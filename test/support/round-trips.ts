/**
 * Every resource that can be read and written again, with the least and the most that it is made of. A resource without
 * a line here fails test/contract/round-trip.test.ts.
 */
import { channels } from '../../control-plane/alerting/channels/index.ts'
import { NewMaintenanceWindow } from '../../control-plane/communication/maintenance-windows/schema.ts'
import { NewStatusPage } from '../../control-plane/communication/status-pages/schema.ts'
import { groupBodies } from '../../control-plane/monitoring/check-groups/schema.ts'
import { checkSchemas } from '../../control-plane/monitoring/checks/schema.ts'
import type { CheckKind } from '../../control-plane/monitoring/checks/types/check-kind.ts'
import { checkKinds } from '../../control-plane/monitoring/checks/types/index.ts'
import { everyChannelConfig } from './every-channel-config.ts'
import { everyField, type Given } from './every-field.ts'
import type { World } from './world.ts'

export type RoundTrip = {
  name: string
  /** Makes one, and says where it is read. */
  make(world: World): Promise<string>
  /** Where what was read is sent back, when that is not where it is read. */
  writes?: (address: string) => Array<readonly [method: string, address: string]>
}

type Body = Record<string, unknown>

const created = async (world: World, path: string, body: unknown): Promise<Body> => {
  const answer = await world.call('POST', path, body)
  if (answer.status >= 300)
    throw new Error(`POST ${path} ${JSON.stringify(body)}: ${answer.status} ${answer.text}`)
  return answer.body
}

const madeAt = (path: string, bodyOf: (world: World) => unknown): RoundTrip['make'] => {
  return async (world) => `${path}/${(await created(world, path, await bodyOf(world))).id}`
}

const both = (
  name: string,
  {
    path,
    least,
    most,
    ...rest
  }: { path: string; least: (world: World) => unknown; most: (world: World) => unknown } & Pick<
    RoundTrip,
    'writes'
  >,
): RoundTrip[] => [
  { name: `${name}, the least`, make: madeAt(path, least), ...rest },
  { name: `${name}, every field`, make: madeAt(path, most), ...rest },
]

const secret = { key: 'SECRET', value: 'hunter2', locked: false, secret: true }
const locked = { key: 'LOCKED', value: 'shown to some', locked: true, secret: false }
const basicAuth = { username: 'ada', password: 'lovelace' }

/** What checks and groups refer to. */
const references = async (world: World): Promise<Given> => {
  const snippetId = Number(await world.id('/v1/snippets'))
  return {
    privateLocations: ['local'],
    'alertChannelSubscriptions[].alertChannelId': Number(await world.id('/v1/alert-channels')),
    setupSnippetId: snippetId,
    tearDownSnippetId: snippetId,
    environmentVariables: [secret, locked],
  }
}

const aScript = '// a script'

/** What the schemas of checks do not say. */
const ofChecks: Given = {
  runtimeId: '2026.04',
  alertSettings: undefined,
  frequency: 60,
  frequencyOffset: 7,
  degradedResponseTime: 1,
  maxResponseTime: 2,
  degradedPacketLossThreshold: 1,
  maxPacketLossThreshold: 2,
  script: aScript,
  'request.basicAuth': basicAuth,
  'request.url': undefined,
  'request.body': undefined,
  'heartbeat.pingToken': undefined,
}

const ofType: Partial<Record<string, Given>> = {
  URL: { 'request.url': 'https://example.com/' },
  API: { 'request.url': 'https://example.com/', 'request.body': '{"a": 1}' },
  HEARTBEAT: {
    'heartbeat.period': 5,
    'heartbeat.periodUnit': 'minutes',
    'heartbeat.grace': 1,
    'heartbeat.graceUnit': 'minutes',
    request: { url: 'https://example.com/' },
  },
  PLAYWRIGHT: { files: checkKinds.PLAYWRIGHT.example['files'] },
}

const fullCheck = async (world: World, { type }: CheckKind): Promise<unknown> => {
  const body = everyField(checkSchemas[type].New, {
    ...ofChecks,
    ...(await references(world)),
    groupId: Number(await world.id('/v1/check-groups')),
    'triggerIncident.serviceId': await world.id('/v1/status-pages/services'),
    ...ofType[type],
  })
  const alertSettings = { ...everyAlertSetting, escalationType: 'TIME_BASED' }
  return { ...(body as Body), alertSettings }
}

const everyAlertSetting = {
  escalationType: 'RUN_BASED',
  runBasedEscalation: { failedRunThreshold: 3 },
  timeBasedEscalation: { minutesFailingThreshold: 15 },
  reminders: { amount: 2, interval: 10 },
  parallelRunFailureThreshold: { enabled: true, percentage: 50 },
}

const leastCheck = ({ example, required }: CheckKind): Body =>
  Object.fromEntries(Object.entries(example).filter(([name]) => required.includes(name)))

const checks = Object.values(checkKinds).flatMap((kind): RoundTrip[] => {
  const writes = (address: string) => {
    const id = address.split('/')[3]?.split('?')[0]
    return [
      ['PUT', `/v1/checks/${kind.path}/${id}`],
      ['PUT', `/v1/checks/${id}`],
    ] as const
  }
  const readAt = async (world: World, body: unknown) => {
    const { id } = await created(world, `/v1/checks/${kind.path}`, body)
    return `/v1/checks/${id}?includeDependencies=true`
  }
  return [
    {
      name: `${kind.type}, the least`,
      make: (world) => readAt(world, leastCheck(kind)),
      writes: writes as never,
    },
    {
      name: `${kind.type}, every field`,
      make: async (world) => readAt(world, await fullCheck(world, kind)),
      writes: writes as never,
    },
  ]
})

const groups = (['v1', 'v2'] as const).flatMap((version) =>
  both(`check group of ${version}`, {
    path: `/${version}/check-groups`,
    least: () => ({ name: 'Shop' }),
    most: async (world) => ({
      ...(everyField(groupBodies[version].New, {
        ...ofChecks,
        ...(await references(world)),
        'apiCheckDefaults.basicAuth': basicAuth,
        retryStrategy: { type: 'LINEAR', maxRetries: 3 },
      }) as Body),
      alertSettings: everyAlertSetting,
    }),
  }).map(
    (trip): RoundTrip => ({
      ...trip,
      make: async (world) => (await trip.make(world)).replace('/v2/', '/v1/'),
      writes: (address) => [
        ['PUT', address],
        ['PUT', address.replace('/v1/', '/v2/')],
      ],
    }),
  ),
)

const alertChannels = Object.values(channels).flatMap(({ type }): RoundTrip[] =>
  both(`${type} channel`, {
    path: '/v1/alert-channels',
    least: () => ({ type, config: everyChannelConfig(type).least }),
    most: async (world) => ({
      type,
      config: everyChannelConfig(type).most,
      subscriptions: [
        { checkId: await world.id('/v1/checks/url'), activated: true },
        { groupId: Number(await world.id('/v1/check-groups')), activated: false },
      ],
      sendRecovery: false,
      sendFailure: false,
      sendDegraded: true,
      sslExpiry: true,
      sslExpiryThreshold: 7,
      autoSubscribe: true,
    }),
  }),
)

const variable = (name: string, body: Body): RoundTrip => ({
  name,
  make: async (world) => {
    const key = `KEY_${world.plane.app.newId().replaceAll('-', '')}`
    await created(world, '/v1/variables', { key, ...body })
    return `/v1/variables/${key}`
  },
})

const colors = Object.fromEntries(
  Object.keys(
    (NewStatusPage.properties.themeColors as unknown as { properties: { light: { properties: object } } })
      .properties.light.properties,
  ).map((name) => [name, '#A1B2C3']),
)

const fullPage = async (world: World) =>
  everyField(NewStatusPage, {
    url: world.plane.app.newId(),
    customDomain: `${world.plane.app.newId()}.example.com`,
    themeColors: { light: colors, dark: colors },
    'cards[].id': undefined,
    'cards[].statusPageId': undefined,
    'cards[].services': [{ id: await world.id('/v1/status-pages/services') }],
  })

const fullWindow = async (world: World) => {
  const page = await created(world, '/v1/status-pages', await fullPage(world))
  return everyField(NewMaintenanceWindow, {
    startsAt: '2026-02-01T01:00:00.000Z',
    endsAt: '2026-02-01T02:00:00.000Z',
    timezone: 'Europe/Berlin',
    repeatUnit: 'WEEK',
    repeatInterval: 2,
    repeatEndsAt: '2026-12-31',
    'statusPageVisibility.affectAllServices': false,
    'statusPageVisibility.statusPageIds': [page['id']],
    'statusPageVisibility.serviceIds': [await world.id('/v1/status-pages/services')],
  })
}

const serviceIds = async (world: World) => [{ id: await world.id('/v1/status-pages/services') }]

const incident = async (world: World) => ({
  name: 'Payments fail',
  severity: 'MAJOR',
  services: await serviceIds(world),
  incidentUpdates: [{ description: 'We look into it.', status: 'IDENTIFIED', notifySubscribers: true }],
})

const putAndPatch: RoundTrip['writes'] = (address) => [
  ['PUT', address],
  ['PATCH', address],
]
const patch: RoundTrip['writes'] = (address) => [['PATCH', address]]

const location =
  (more: Body) =>
  ({ plane }: World) => ({
    name: 'Office',
    slugName: plane.app.newId().slice(-12),
    ...more,
  })

export const roundTrips: RoundTrip[] = [
  ...checks,
  ...groups,
  ...alertChannels,
  ...both('snippet', {
    path: '/v1/snippets',
    least: () => ({ name: 'empty', script: '' }),
    most: () => ({ name: 'sign-in', script: aScript }),
  }),
  variable('variable, the least', { value: '' }),
  variable('variable', { value: 'https://example.com', locked: true }),
  variable('secret variable', { value: 'hunter2', locked: true, secret: true }),
  ...both('private location', {
    path: '/v1/private-locations',
    least: location({}),
    most: location({ icon: 'home', proxyUrl: 'http://ada:lovelace@proxy.example:3128' }),
  }),
  ...both('maintenance window', {
    path: '/v1/maintenance-windows',
    least: () => ({ name: 'Night', startsAt: '2026-02-01', endsAt: '2026-02-02' }),
    most: fullWindow,
  }),
  {
    name: 'occurrence of a maintenance window',
    make: async (world) => {
      const window = await madeAt('/v1/maintenance-windows', fullWindow)(world)
      const { body } = await world.call('GET', `${window}/maintenances`)
      return `${window}/maintenances/${body[0].id}`
    },
    writes: patch,
  },
  ...both('status page', {
    path: '/v1/status-pages',
    least: ({ plane }) => ({ name: 'Status', url: plane.app.newId(), cards: [] }),
    most: fullPage,
  }),
  ...both('service', {
    path: '/v1/status-pages/services',
    least: () => ({ name: 'Shop' }),
    most: () => ({ name: 'Checkout' }),
  }),
  ...both('incident', {
    path: '/v1/status-pages/incidents',
    least: async (world) => ({
      ...(await incident(world)),
      incidentUpdates: [{ description: 'We look into it.' }],
    }),
    most: incident,
    writes: putAndPatch,
  }),
  {
    name: 'update of an incident',
    make: async (world) => {
      const one = await madeAt('/v1/status-pages/incidents', incident)(world)
      const { body } = await world.call('GET', one)
      return `${one}/incident-updates/${body.incidentUpdates[0].id}`
    },
  },
  {
    name: 'error group',
    make: async (world) => `/v1/error-groups/${await world.id('/v1/error-groups')}`,
    writes: patch,
  },
  { name: 'own account', make: async () => '/v1/accounts/me', writes: patch },
  { name: 'account', make: async ({ plane }) => `/v1/accounts/${plane.accountId}`, writes: patch },
]
