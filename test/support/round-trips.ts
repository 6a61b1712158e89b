/**
 * Every resource that can be read and written again, with the least and the most that it is made of. A resource without
 * a line here fails test/contract/round-trip.test.ts.
 */
import { channels } from '../../control-plane/alerting/channels/index.ts'
import { NewDashboard } from '../../control-plane/communication/dashboards/schema.ts'
import { NewMaintenanceWindow } from '../../control-plane/communication/maintenance-windows/schema.ts'
import { NewStatusPage } from '../../control-plane/communication/status-pages/schema.ts'
import { NewStatusPageV3 } from '../../control-plane/communication/status-pages-v3/page-schema.ts'
import { aScript, checkRoundTrips, groupRoundTrips } from './check-round-trips.ts'
import { everyChannelConfig } from './every-channel-config.ts'
import { everyField } from './every-field.ts'
import { type Body, both, created, madeAt, putAndPatch, type RoundTrip } from './round-trip.ts'
import type { World } from './world.ts'

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
      locationAlerts: false,
      fallbackChannelId: Number(await world.id('/v1/alert-channels')),
      hours: {
        timezone: 'Europe/Berlin',
        mode: 'working',
        waits: 'low',
        times: [{ days: ['MO', 'FR'], from: '09:00', to: '17:30' }],
      },
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
  ).map((name) => [name, name.includes('Font') ? '#101820' : '#F4F5F7']),
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

const dashboardAt = ({ dashboardId }: Body): string => `/v1/dashboards/${dashboardId}`

const fullDashboard = async (world: World) =>
  everyField(NewDashboard, {
    customUrl: world.plane.app.newId(),
    customDomain: `${world.plane.app.newId()}.example.com`,
    ...{ logo: 'https://shop.example/logo.png', favicon: '', link: 'https://shop.example/' },
    customCSS: 'h1 { color: teal }',
    tags: ['shop'],
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

const pageV3 = async (world: World, body: unknown) => {
  const url = world.plane.app.newId()
  const page = await created(world, '/v3/status-pages', { url, ...(body as object) })
  return { address: `/v3/status-pages/${page['id']}` }
}

const fullPageV3 = async (world: World) =>
  everyField(NewStatusPageV3, {
    url: world.plane.app.newId(),
    customDomain: `${world.plane.app.newId()}.example.com`,
    themeColors: { light: colors, dark: colors },
    ...{ privacyPolicyLink: 'https://a.example/p', termsOfServiceLink: 'https://a.example/t' },
    supportLink: 'mailto:help@a.example',
  })

const incidentV3 = async (world: World) => {
  const page = await pageV3(world, { name: 'Acme' })
  const { id } = await created(world, `${page.address}/components`, { name: 'API' })
  const body = await created(world, `${page.address}/incidents`, {
    name: 'Down',
    incidentUpdates: [{ description: 'We look into it.', status: 'IDENTIFIED' }],
    componentImpacts: [{ componentId: id, impact: 'PARTIAL_OUTAGE' }],
  })
  return { address: `${page.address}/incidents/${body['id']}`, body }
}

const serviceIds = async (world: World) => [{ id: await world.id('/v1/status-pages/services') }]

const incident = async (world: World) => ({
  name: 'Payments fail',
  severity: 'MAJOR',
  services: await serviceIds(world),
  incidentUpdates: [{ description: 'We look into it.', status: 'IDENTIFIED', notifySubscribers: true }],
})

const patch: RoundTrip['writes'] = (address) => [['PATCH', address]]

const location =
  (more: Body) =>
  ({ plane }: World) => ({
    name: 'Office',
    slugName: plane.app.newId().slice(-12),
    ...more,
  })

export const roundTrips: RoundTrip[] = [
  ...checkRoundTrips,
  ...groupRoundTrips,
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
    most: location({ icon: 'home', proxyUrl: 'http://ada:lovelace@proxy.example:3128', scalesToZero: true }),
  }),
  ...both('maintenance window', {
    path: '/v1/maintenance-windows',
    least: () => ({ name: 'Night', startsAt: '2026-02-01', endsAt: '2026-02-02' }),
    most: fullWindow,
  }).map((trip): RoundTrip => ({ ...trip, writes: putAndPatch })),
  {
    name: 'occurrence of a maintenance window',
    make: async (world) => {
      const window = await madeAt('/v1/maintenance-windows', fullWindow)(world)
      const { body } = await world.call('GET', `${window}/maintenances`)
      return `${window}/maintenances/${body[0].id}`
    },
    writes: patch,
  },
  {
    name: 'dashboard, the least',
    make: async (world) => dashboardAt(await created(world, '/v1/dashboards', { header: 'Shop' })),
  },
  {
    name: 'dashboard, every field',
    make: async (world) => dashboardAt(await created(world, '/v1/dashboards', await fullDashboard(world))),
  },
  {
    name: 'incident of a dashboard',
    make: async (world) => {
      const { id } = await created(world, '/v1/dashboards', { header: 'Shop' })
      const incident = await created(world, '/v1/incidents', {
        ...{ name: 'Down', impact: 'MAJOR', dashboardId: id, startedAt: '2026-01-01T00:00:00.000Z' },
        incidentUpdates: [{ status: 'MONITORING', description: 'It is back.' }],
      })
      return `/v1/incidents/${incident['id']}`
    },
  },
  ...both('status page', {
    path: '/v1/status-pages',
    least: ({ plane }) => ({ name: 'Status', url: plane.app.newId(), cards: [] }),
    most: fullPage,
  }),
  {
    name: 'status page of version 3, the least',
    make: async (world) => (await pageV3(world, { name: 'Acme' })).address,
  },
  {
    name: 'status page of version 3, every field',
    make: async (world) => (await pageV3(world, await fullPageV3(world))).address,
  },
  {
    name: 'component of a status page',
    make: async (world) => {
      const { address } = await pageV3(world, { name: 'Acme' })
      const { id } = await created(world, `${address}/components`, { name: 'Backend', type: 'GROUP' })
      const body = { name: 'API', description: 'Public', hidden: true, displayOrder: 3, parentId: id }
      return madeAt(`${address}/components`, () => body)(world)
    },
  },
  {
    name: 'automation rule of a status page',
    make: async (world) => {
      const { address } = await pageV3(world, { name: 'Acme' })
      const { id: componentId } = await created(world, `${address}/components`, { name: 'API' })
      return madeAt(`${address}/automation-rules`, () => ({
        ...{ name: 'Shop down', firstUpdate: 'We look into it.', lastUpdate: 'It works again.' },
        ...{ tags: ['shop'], enabled: false, notifySubscribers: false, coolDownWindowMinutes: 0 },
        components: [{ componentId, targetImpact: 'PARTIAL_OUTAGE' }],
      }))(world)
    },
  },
  {
    name: 'incident of a status page of version 3',
    make: async (world) => (await incidentV3(world)).address,
    writes: (address) => [
      ['PUT', address],
      ['PUT', `${address}/component-impacts`],
    ],
  },
  {
    name: 'update of an incident of version 3',
    make: async (world) => {
      const { address, body } = await incidentV3(world)
      const [update] = body['incidentUpdates'] as { id: string }[]
      return `${address}/incident-updates/${update?.id}`
    },
  },
  {
    name: 'publication of a status page',
    make: async (world) => {
      const page = await madeAt('/v1/status-pages', fullPage)(world)
      const publication = { frameAncestors: ['https://shop.example'], allowedNetworks: ['192.0.2.0/24'] }
      await world.call('PUT', `${page}/publication`, { ...publication, password: 'correct horse battery' })
      return `${page}/publication`
    },
  },
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
  {
    name: 'error group of tests',
    make: async (world) => `/v1/test-session-error-groups/${await world.id('/v1/test-session-error-groups')}`,
    writes: patch,
  },
  { name: 'own account', make: async () => '/v1/accounts/me', writes: patch },
  { name: 'account', make: async ({ plane }) => `/v1/accounts/${plane.accountId}`, writes: patch },
]
