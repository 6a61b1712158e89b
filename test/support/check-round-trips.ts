/** Checks of every type, and check groups, as round-trips.ts has all resources. */
import { groupBodies } from '../../control-plane/monitoring/definitions/check-groups/schema.ts'
import { checkSchemas } from '../../control-plane/monitoring/definitions/checks/schema.ts'
import type { CheckKind } from '../../control-plane/monitoring/definitions/checks/types/check-kind.ts'
import { checkKinds } from '../../control-plane/monitoring/definitions/checks/types/index.ts'
import { everyField, type Given } from './every-field.ts'
import { type Body, both, created, putAndPatch, type RoundTrip } from './round-trip.ts'
import type { World } from './world.ts'

const secret = { key: 'SECRET', value: 'hunter2', locked: false, secret: true }
const locked = { key: 'LOCKED', value: 'shown to some', locked: true, secret: false }
const basicAuth = { username: 'ada', password: 'lovelace' }

/** What checks and groups refer to. */
const references = async (world: World): Promise<Given> => {
  const snippetId = Number(await world.id('/v1/snippets'))
  const bundle = await world.id('/v1/code-bundles')
  return {
    privateLocations: ['local'],
    'alertChannelSubscriptions[].alertChannelId': Number(await world.id('/v1/alert-channels')),
    setupSnippetId: snippetId,
    tearDownSnippetId: snippetId,
    environmentVariables: [secret, locked],
    codeBundleId: bundle,
    codeBundlePath: bundle,
    // A group that no check is in: one that depends on its own group would wait for itself.
    dependsOn: [
      { checkId: await world.id('/v1/checks/url') },
      { groupId: (await created(world, '/v1/check-groups', { name: 'Upstream' }))['id'] },
    ],
  }
}

export const aScript = '// a script'

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
  SSL: {
    'request.sslClientCertificateId': undefined,
    'request.sslConfig.serverName': 'www.example.com',
    'request.sslConfig.clientCertificateMode': 'auto',
    'request.assertions': [
      {
        source: 'CERTIFICATE',
        property: 'daysUntilExpiry',
        comparison: 'GREATER_THAN',
        target: '10',
        regex: '',
      },
    ],
  },
  GRPC: { 'request.url': 'orders.example.com' },
  TRACEROUTE: { 'request.url': 'shop.example.com' },
  PLAYWRIGHT: {
    files: checkKinds.PLAYWRIGHT.example['files'],
    engine: 'node',
    engineVersion: '24.1.0',
    browsers: ['firefox', 'chromium'],
  },
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

/** A suite has files or a bundle, which no list of required fields says. */
const leastCheck = ({ example, required, takesBundle }: CheckKind): Body =>
  Object.fromEntries(
    Object.entries(example).filter(
      ([name]) => required.includes(name) || (takesBundle === true && name === 'files'),
    ),
  )

export const checkRoundTrips = Object.values(checkKinds).flatMap((kind): RoundTrip[] => {
  const writes = (address: string) => {
    const id = address.split('/')[3]?.split('?')[0]
    const addresses = [`/v1/checks/${kind.path}/${id}`, `/v1/checks/${id}`]
    return addresses.flatMap(putAndPatch)
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

export const groupRoundTrips = (['v1', 'v2'] as const).flatMap((version) =>
  both(`check group of ${version}`, {
    path: `/${version}/check-groups`,
    least: () => ({ name: 'Shop' }),
    most: async (world) => ({
      ...(everyField(groupBodies[version].POST, {
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
      writes: (address) => [address, address.replace('/v1/', '/v2/')].flatMap(putAndPatch),
    }),
  ),
)
