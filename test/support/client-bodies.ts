/**
 * Bodies as clients of such services send them: structures with every field they know, and what their language has for
 * a field that nobody filled in. `zero` is that of a Go client (`""`, 0, false, null lists, the zero time), `nulls` that
 * of a generated client whose optional fields are null or empty lists, `empty` that of a form.
 */
import {
  type ClientBody,
  checkBodies,
  emptyDates,
  oldAlertSettings,
  oldAssertion,
  zeroDates,
  zeroTime,
} from './client-check-bodies.ts'
import type { World } from './world.ts'

type Body = Record<string, unknown>

const apiCheckDefaults = {
  url: '',
  headers: null,
  queryParameters: null,
  assertions: [oldAssertion],
  basicAuth: { username: '', password: '' },
}

const group = (version: string): ClientBody[] => [
  {
    name: 'zero',
    path: `/${version}/check-groups`,
    body: () => ({
      id: 0,
      name: 'shop',
      activated: true,
      muted: false,
      runParallel: false,
      tags: null,
      locations: null,
      concurrency: 3,
      apiCheckDefaults,
      environmentVariables: null,
      useGlobalAlertSettings: false,
      alertSettings: oldAlertSettings,
      alertChannelSubscriptions: null,
      runtimeId: null,
      privateLocations: null,
      doubleCheck: false,
      ...zeroDates,
    }),
  },
  {
    name: 'empty',
    path: `/${version}/check-groups`,
    body: () => ({
      name: 'shop',
      browserCheckDefaults: '',
      runtimeId: '',
      localSetupScript: '',
      localTearDownScript: '',
      alertChannels: {},
      ...emptyDates,
    }),
  },
]

const channel = (name: string, type: string, config: Body, more: Body = {}): ClientBody => ({
  name: `${name} ${type}`,
  path: '/v1/alert-channels',
  body: () => ({ id: 0, type, config, subscriptions: null, ...emptyDates, ...more }),
})

const serviceOf = async (world: World) => ({
  id: await world.id('/v1/status-pages/services'),
  name: 'Shop',
  accountId: '',
  created_at: zeroTime,
  updated_at: null,
})

const others: ClientBody[] = [
  ...group('v1'),
  ...group('v2'),
  channel('zero', 'EMAIL', { address: 'ops@example.com' }),
  channel('zero', 'SLACK', { url: 'https://hooks.example.com/services/T0/B0/c', channel: '' }),
  channel('zero', 'SMS', { name: '', number: '+4915112345678' }),
  channel('zero', 'CALL', { name: '', number: '+4915112345678' }),
  channel('zero', 'PAGERDUTY', { account: '', serviceKey: 'a key of some length', serviceName: '' }),
  channel('zero', 'OPSGENIE', {
    name: 'genie',
    apiKey: 'a key of some length',
    region: 'EU',
    priority: 'P1',
  }),
  channel('zero', 'WEBHOOK', {
    name: 'hook',
    url: 'https://example.com/hook',
    webhookType: '',
    method: '',
    template: '',
    webhookSecret: '',
    headers: null,
    queryParameters: null,
  }),
  { name: 'zero', path: '/v1/snippets', body: () => ({ id: 0, name: 'a', script: 'b', ...zeroDates }) },
  {
    name: 'zero',
    path: '/v1/private-locations',
    body: ({ plane }) => ({
      id: '',
      name: 'Office',
      slugName: plane.app.newId().slice(-12),
      icon: '',
      proxyUrl: '',
      keys: null,
      lastSeen: '',
      agentCount: 0,
      ...emptyDates,
    }),
  },
  {
    name: 'zero',
    path: '/v1/maintenance-windows',
    body: () => ({
      id: 0,
      name: 'Night',
      startsAt: '2026-02-01T01:00:00.000Z',
      endsAt: '2026-02-01T02:00:00.000Z',
      repeatUnit: '',
      repeatInterval: null,
      repeatEndsAt: '',
      timezone: '',
      description: '',
      tags: null,
      silenceAlertsTags: null,
      statusPageVisibility: {
        severity: '',
        reminderMinutesBefore: null,
        statusPageIds: null,
        serviceIds: null,
      },
      ...emptyDates,
    }),
  },
  {
    name: 'zero',
    path: '/v1/status-pages',
    body: async (world) => ({
      id: '',
      accountId: '',
      name: 'Status',
      url: world.plane.app.newId(),
      customDomain: '',
      logo: '',
      logoDark: '',
      redirectTo: '',
      favicon: '',
      defaultTheme: '',
      themeColors: null,
      cards: [
        { id: '', statusPageId: '', name: 'All', services: [await serviceOf(world)], ...emptyDates },
        { name: 'None', services: null },
      ],
      incidents: null,
      keys: null,
      created_at: zeroTime,
      updated_at: zeroTime,
    }),
  },
  {
    name: 'zero',
    path: '/v1/status-pages/services',
    body: () => ({ id: '', accountId: '', name: 'Shop', created_at: zeroTime, updated_at: zeroTime }),
  },
  {
    name: 'zero',
    path: '/v1/status-pages/incidents',
    body: async (world) => ({
      id: '',
      name: 'Payments fail',
      severity: 'MAJOR',
      services: [await serviceOf(world)],
      lastUpdateStatus: '',
      duration: 0,
      incidentUpdates: [
        { id: '', description: 'We look into it.', status: '', publicIncidentUpdateDate: '', ...emptyDates },
      ],
      ...emptyDates,
    }),
  },
]

export const clientBodies: readonly ClientBody[] = [...checkBodies, ...others]
