/** Bodies of checks as clients send them (client-bodies.ts says which clients). */
import type { World } from './world.ts'

type Body = Record<string, unknown>
export type ClientBody = { name: string; path: string; body: (world: World) => Promise<Body> | Body }

export const zeroTime = '0001-01-01T00:00:00Z'
export const zeroDates = { createdAt: zeroTime, updatedAt: zeroTime }
export const emptyDates = { created_at: '', updated_at: '' }

const zeroAlertSettings = {
  runBasedEscalation: {},
  timeBasedEscalation: {},
  reminders: {},
  parallelRunFailureThreshold: {},
  sslCertificates: {},
}
export const oldAlertSettings = {
  escalationType: 'RUN_BASED',
  runBasedEscalation: { failedRunThreshold: 1 },
  reminders: { amount: 0, interval: 5 },
  sslCertificates: { enabled: false, alertThreshold: 3 },
}
export const oldAssertion = {
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

const ofTheirTypes: ClientBody[] = [
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
    ...zeroCheck,
    checkType: 'HEARTBEAT',
    request: { method: '', url: '', headers: null, queryParameters: null, assertions: null },
    heartbeat: { period: 1, periodUnit: 'hours', grace: 5, graceUnit: 'minutes', pingToken: '' },
  }),
  check('zero', 'ssl', {
    ...zeroMonitor,
    frequency: 10,
    frequencyOffset: 80,
    request: { sslConfig: { hostname: 'example.com', skipChainValidation: false } },
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

/** As the Go SDK sends a suite, for Terraform, too: a bundle by the key of its upload. */
export const sdkSuite = {
  name: 'E2E',
  description: null,
  frequency: 10,
  activated: true,
  muted: false,
  runParallel: false,
  locations: null,
  privateLocations: [],
  environmentVariables: null,
  alertSettings: oldAlertSettings,
  useGlobalAlertSettings: true,
  triggerIncident: null,
  cacheHash: '3f5b9a0c',
  playwrightVersion: '1.58.2',
  testCommand: 'npx playwright test --project chromium',
  installCommand: null,
  browsers: ['chromium', 'firefox', 'webkit'],
  workingDir: '.',
  engine: 'node',
  engineVersion: '24',
  checkType: 'PLAYWRIGHT',
}

const suites: ClientBody[] = [
  {
    name: 'full suite',
    path: '/v1/checks/playwright',
    body: async (world) => ({ ...sdkSuite, codeBundlePath: await world.id('/v1/code-bundles') }),
  },
  {
    name: 'zero suite',
    path: '/v1/checks/playwright',
    body: async (world) => ({
      ...sdkSuite,
      ...{ cacheHash: '', playwrightVersion: null, testCommand: null, browsers: [], workingDir: null },
      ...{ engine: null, engineVersion: null, codeBundlePath: await world.id('/v1/code-bundles') },
    }),
  },
]

/** The same by the routes from the time before each type had its own. */
const generic = [...ofTheirTypes, ...suites].map(({ name, path, body }): ClientBody => {
  const checkType = { multistep: 'MULTI_STEP' }[path.split('/')[3] ?? ''] ?? path.split('/')[3]?.toUpperCase()
  return {
    name: `${name} ${checkType}`,
    path: '/v1/checks',
    body: async (world) => ({ ...(await body(world)), checkType }),
  }
})

export const checkBodies: readonly ClientBody[] = [...ofTheirTypes, ...suites, ...generic]
