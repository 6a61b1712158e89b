/**
 * Bodies as clients of such services send them: structures with every field they know, and what their language has for
 * a field that nobody filled in. `zero` is that of a Go client (`""`, 0, false, null lists, the zero time), `nulls` that
 * of a generated client whose optional fields are null or empty lists, `empty` that of a form.
 */
import type { World } from './world.ts'

type Body = Record<string, unknown>
export type ClientBody = { name: string; path: string; body: (world: World) => Promise<Body> | Body }

const zeroTime = '0001-01-01T00:00:00Z'
const zeroDates = { createdAt: zeroTime, updatedAt: zeroTime }
const emptyDates = { created_at: '', updated_at: '' }

const zeroAlertSettings = {
  runBasedEscalation: {},
  timeBasedEscalation: {},
  reminders: {},
  parallelRunFailureThreshold: {},
  sslCertificates: {},
}
const oldAlertSettings = {
  escalationType: 'RUN_BASED',
  runBasedEscalation: { failedRunThreshold: 1 },
  reminders: { amount: 0, interval: 5 },
  sslCertificates: { enabled: false, alertThreshold: 3 },
}
const oldAssertion = {
  edit: false,
  order: 0,
  arrayIndex: 0,
  arraySelector: 0,
  source: 'STATUS_CODE',
  property: '',
  comparison: 'EQUALS',
  target: '200',
}

const zeroRequest = {
  method: '',
  url: '',
  followRedirects: false,
  skipSSL: false,
  body: '',
  headers: null,
  queryParameters: null,
  assertions: null,
}
const zeroHeartbeat = { period: 0, periodUnit: '', grace: 0, graceUnit: '', pingToken: '' }

/** The one structure that older clients had for checks of all types. */
const zeroCheck = {
  id: '',
  name: 'from an older client',
  frequency: 10,
  activated: true,
  muted: false,
  shouldFail: false,
  runParallel: false,
  locations: null,
  degradedResponseTime: 0,
  maxResponseTime: 0,
  environmentVariables: null,
  doubleCheck: false,
  sslCheck: false,
  sslCheckDomain: '',
  alertSettings: zeroAlertSettings,
  useGlobalAlertSettings: true,
  request: zeroRequest,
  heartbeat: zeroHeartbeat,
  privateLocations: null,
  runtimeId: null,
  ...zeroDates,
}

const zeroMonitor = {
  name: 'a monitor',
  activated: true,
  muted: false,
  shouldFail: false,
  runParallel: false,
  locations: null,
  useGlobalAlertSettings: false,
  alertSettings: oldAlertSettings,
  privateLocations: null,
  created_at: zeroTime,
  updated_at: zeroTime,
}

const apiRequest = {
  ...zeroRequest,
  method: 'GET',
  url: 'https://example.com/',
  bodyType: '',
  ipFamily: '',
  assertions: [oldAssertion],
}

const nulls = {
  name: 'from a generated client',
  id: null,
  tags: null,
  locations: null,
  privateLocations: null,
  alertSettings: null,
  groupId: null,
  groupOrder: null,
  runtimeId: null,
  alertChannelSubscriptions: null,
  triggerIncident: null,
  description: null,
  intent: null,
  aiAutoRepairEnabled: null,
  alertChannels: null,
  created_at: null,
  updated_at: null,
}
const nullScripts = {
  setupSnippetId: null,
  tearDownSnippetId: null,
  localSetupScript: null,
  localTearDownScript: null,
}

const check = (name: string, path: string, body: Body): ClientBody => ({
  name,
  path: `/v1/checks/${path}`,
  body: () => body,
})

const ofSeveralTypes: ClientBody[] = [
  check('zero', 'api', { ...zeroCheck, checkType: 'API', maxResponseTime: 20_000, request: apiRequest }),
  check('zero', 'browser', { ...zeroCheck, checkType: 'BROWSER', script: 'x' }),
  check('zero', 'multistep', { ...zeroCheck, checkType: 'MULTI_STEP', script: 'x' }),
  check('zero', 'url', {
    ...zeroMonitor,
    checkType: 'URL',
    request: { ...zeroRequest, method: 'GET', url: 'https://example.com/', ipFamily: '' },
    sslCheckDomain: '',
    sslCheck: false,
    heartbeat: zeroHeartbeat,
  }),
  check('zero', 'tcp', {
    ...zeroMonitor,
    request: { hostname: 'db.example.com', port: 5432, data: '', assertions: null },
  }),
  check('zero', 'dns', {
    ...zeroMonitor,
    request: { query: 'example.com', recordType: 'A', nameServer: '', protocol: '', assertions: null },
  }),
  check('zero', 'icmp', {
    ...zeroMonitor,
    request: { hostname: 'example.com', ipFamily: '', assertions: null },
  }),
  check('zero', 'heartbeat', {
    id: '',
    name: 'backup',
    activated: true,
    muted: false,
    alertSettings: zeroAlertSettings,
    useGlobalAlertSettings: false,
    heartbeat: { period: 1, periodUnit: 'days', grace: 0, graceUnit: '', pingToken: '' },
    ...zeroDates,
  }),
  check('nulls', 'api', {
    ...nulls,
    ...nullScripts,
    environmentVariables: null,
    retryStrategy: null,
    degradedResponseTime: null,
    maxResponseTime: null,
    request: {
      method: 'GET',
      url: 'https://example.com/',
      headers: null,
      queryParameters: null,
      assertions: null,
      basicAuth: null,
    },
  }),
  check('nulls', 'browser', {
    ...nulls,
    script: null,
    scriptPath: null,
    dependencies: null,
    sslCheckDomain: null,
    environmentVariables: null,
    retryStrategy: null,
    request: null,
    heartbeat: null,
  }),
  check('nulls', 'url', {
    ...nulls,
    retryStrategy: null,
    request: {
      url: 'https://example.com/',
      assertions: null,
      body: null,
      headers: null,
      queryParameters: null,
    },
  }),
  check('nulls', 'heartbeat', {
    ...nulls,
    ...nullScripts,
    script: null,
    scriptPath: null,
    request: null,
    sslCheckDomain: null,
    environmentVariables: null,
    frequencyOffset: null,
    heartbeat: { period: 60, grace: 10, pingToken: null },
  }),
  check('empty', 'browser', {
    name: 'from a form',
    script: '',
    scriptPath: '',
    sslCheckDomain: '',
    runtimeId: '',
    description: '',
    tags: [],
    locations: [],
    privateLocations: [],
    alertChannelSubscriptions: [],
    environmentVariables: [],
    dependencies: [],
    request: { headers: [], queryParameters: [], basicAuth: {} },
    alertSettings: { escalationType: '' },
    ...emptyDates,
  }),
  check('empty', 'api', {
    name: 'from a form',
    request: { ...apiRequest, headers: [], queryParameters: [] },
    runtimeId: '',
    localSetupScript: '',
    retryStrategy: { type: '', onlyOn: null },
  }),
]

/** The same by the routes of before each type had its own. */
const generic = ofSeveralTypes.map(({ name, path, body }): ClientBody => {
  const checkType = { multistep: 'MULTI_STEP' }[path.split('/')[3] ?? ''] ?? path.split('/')[3]?.toUpperCase()
  return {
    name: `${name} ${checkType}`,
    path: '/v1/checks',
    body: async (world) => ({ ...(await body(world)), checkType }),
  }
})

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

export const clientBodies: readonly ClientBody[] = [...ofSeveralTypes, ...generic, ...others]
