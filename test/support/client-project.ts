/** A project in the form in which a command-line client of version 9.5.0 deploys it, with one of each resource. */

const shared = { activated: true, muted: false, locations: ['eu-west-1'], tags: ['shop'], frequency: 5 }
const monitor = {
  ...shared,
  groupId: null,
  doubleCheck: false,
  useGlobalAlertSettings: true,
  runParallel: false,
}
const assertions = [{ source: 'STATUS_CODE', comparison: 'EQUALS', property: '', target: '200', regex: null }]
const alertSettings = {
  escalationType: 'RUN_BASED',
  runBasedEscalation: { failedRunThreshold: 2 },
  timeBasedEscalation: { minutesFailingThreshold: 5 },
  reminders: { amount: 0, interval: 5 },
  parallelRunFailureThreshold: { enabled: false, percentage: 10 },
}
const spec = "import { test } from '@playwright/test'\nimport { address } from './helper'\n"

// biome-ignore lint/suspicious/noExplicitAny: payloads of any kind of resource
export type ClientResource = {
  logicalId: string
  type: string
  member: boolean
  physicalId?: any
  payload: any
}

const one = (type: string, logicalId: string, payload: object | null): ClientResource => ({
  logicalId,
  type,
  member: true,
  payload,
})

const ref = (name: string) => ({ ref: name })

export const clientResources = (): ClientResource[] => [
  one('status-page-service', 'svc', { name: 'Shop' }),
  one('status-page', 'page', {
    ...{ name: 'Status', url: 'shop-status', defaultTheme: 'DARK' },
    cards: [{ name: 'All', services: [ref('svc')] }],
  }),
  one('check-group', 'group', {
    ...{ name: 'Group', tags: ['g'], locations: [], v: 2 },
    apiCheckDefaults: {
      ...{ headers: [], queryParameters: [], url: '' },
      basicAuth: { username: '', password: '' },
    },
    environmentVariables: [
      { key: 'A', value: 'b' },
      { key: 'S', value: 'c', secret: true },
    ],
  }),
  one('check', 'api', {
    ...{ ...shared, name: 'API', frequency: 1, groupId: ref('group'), runtimeId: '2026.04' },
    retryStrategy: {
      ...{ type: 'LINEAR', baseBackoffSeconds: 5, maxRetries: 2 },
      ...{ maxDurationSeconds: 600, sameRegion: true },
    },
    ...{ alertSettings, useGlobalAlertSettings: false, runParallel: false, environmentVariables: [] },
    triggerIncident: {
      ...{ severity: 'MINOR', name: 'Down', description: 'It is down', notifySubscribers: false },
      serviceId: ref('svc'),
    },
    ...{ checkType: 'API', degradedResponseTime: 1000, maxResponseTime: 5000 },
    request: {
      ...{ method: 'POST', url: 'https://api.example.com/x', headers: [{ key: 'a', value: 'b' }] },
      ...{ body: '{}', bodyType: 'JSON', assertions },
    },
  }),
  one('check', 'url', {
    ...{ ...monitor, name: 'URL', checkType: 'URL' },
    request: { url: 'https://example.com/', assertions, method: 'GET' },
  }),
  one('check', 'tcp', {
    ...monitor,
    name: 'TCP',
    checkType: 'TCP',
    request: { hostname: 'example.com', port: 443 },
  }),
  one('check', 'dns', {
    ...{ ...monitor, name: 'DNS', checkType: 'DNS' },
    request: { query: 'example.com', recordType: 'A' },
  }),
  one('check', 'icmp', { ...monitor, name: 'ICMP', checkType: 'ICMP', request: { hostname: 'example.com' } }),
  one('check', 'beat', {
    ...{ ...monitor, name: 'Beat', checkType: 'HEARTBEAT' },
    heartbeat: { period: 30, periodUnit: 'minutes', grace: 10, graceUnit: 'minutes' },
  }),
  one('check', '__checks__/home.spec.ts', {
    ...{ ...shared, name: 'home.spec.ts', groupId: null, useGlobalAlertSettings: true, runParallel: false },
    ...{
      frequency: 10,
      runtimeId: '2026.04',
      environmentVariables: [],
      checkType: 'BROWSER',
      sslCheckDomain: null,
    },
    ...{ script: spec, scriptPath: '__checks__/home.spec.ts', dependencies: [0], snapshots: [] },
  }),
  one('alert-channel', 'mail', {
    ...{ sslExpiry: true, sslExpiryThreshold: 20, type: 'EMAIL' },
    config: { address: 'ada@example.com' },
  }),
  one('alert-channel', 'hook', {
    type: 'WEBHOOK',
    config: {
      ...{ name: 'Hook', url: 'https://hooks.example.com/x', template: '{"text": "{{ALERT_TITLE}}"}' },
      ...{ method: 'POST', headers: [{ key: 'x-a', value: 'b' }], webhookSecret: 'shh' },
    },
  }),
  subscription('group', 'mail'),
  subscription('api', 'hook'),
  one('maintenance-window', 'window', {
    ...{ name: 'Window', tags: ['shop'], repeatInterval: 1, repeatUnit: 'WEEK' },
    ...{ startsAt: '2027-01-01T00:00:00.000Z', endsAt: '2027-01-01T01:00:00.000Z' },
    repeatEndsAt: '2027-06-01T00:00:00.000Z',
  }),
  one('private-location', 'office', { name: 'Office', slugName: 'office-1' }),
  one('private-location-check-assignment', 'private-location-check-assignment#url#office', {
    privateLocationId: ref('office'),
    checkId: ref('url'),
  }),
  one('private-location-group-assignment', 'private-location-group-assignment#group#office', {
    privateLocationId: ref('office'),
    groupId: ref('group'),
  }),
]

export function subscription(subject: string, channel: string): ClientResource {
  const kind = subject === 'group' ? 'check-group' : 'check'
  return one('alert-channel-subscription', `${kind}-alert-channel-subscription#${subject}#${channel}`, {
    alertChannelId: ref(channel),
    [subject === 'group' ? 'groupId' : 'checkId']: ref(subject),
    activated: true,
  })
}

export const clientDeploy = (resources: readonly ClientResource[]) => ({
  project: { logicalId: 'shop', name: 'Shop', repoUrl: 'https://example.com/shop.git' },
  sharedFiles: [{ path: '__checks__/helper.ts', content: "export const address = 'https://example.com'\n" }],
  resources,
  repoInfo: {
    commitId: 'abc',
    repoUrl: null,
    branchName: 'main',
    commitOwner: 'Ada',
    commitMessage: 'Begin',
  },
})
