/** Names of fields and values as people read them. Pure. */
import type { Content } from '../../../platform/web/html/html.ts'
import { count, say } from '../../../platform/web/html/say.ts'
import { sayWord, wordOf } from '../words.ts'

const labels: { [name: string]: string } = {
  url: 'Address',
  id: 'Id',
  activated: 'Active',
  muted: 'Muted',
  shouldFail: 'Error statuses count as passing',
  privateLocations: 'Private locations',
  locations: 'Public locations',
  frequency: 'How often',
  frequencyOffset: 'Offset',
  degradedResponseTime: 'Degraded from (ms)',
  maxResponseTime: 'Failed from (ms)',
  checkId: 'Check',
  groupId: 'Group',
  groupOrder: 'Place in its group',
  dependsOn: 'Depends on',
  groupHealth: 'Health of the group as a whole',
  failingWhen: 'Checks that have to fail',
  tells: 'Who tells of failures',
  dependencyWaitSeconds: 'Longest wait for a run of what a check depends on (s)',
  stormBrake: 'Storm brake',
  grouping: 'Told together',
  by: 'What they have in common',
  intervalSeconds: 'Time between two messages (s)',
  allowIndexing: 'Search engines may list it',
  logicalId: 'Name in its files',
  runtimeId: 'Runtime',
  alertChannelSubscriptions: 'Alert channels',
  alertChannelId: 'Alert channel',
  fallbackChannelId: 'Fallback',
  useGlobalAlertSettings: "Use the account's alert settings",
  alertSettings: 'Alert settings',
  retryStrategy: 'Retries',
  triggerIncident: 'Open an incident',
  runParallel: 'Run in all locations at once',
  standingOrders: 'Run while the control plane is away',
  skipSSL: 'Accept any certificate',
  ipFamily: 'IP family',
  sslConfig: 'Server',
  sslClientCertificateId: 'Id of the client certificate',
  serverName: 'Name asked for',
  skipChainValidation: 'Accept any chain and name',
  handshakeTimeoutMs: 'Time limit (ms)',
  alertDaysBeforeExpiry: 'Degraded with fewer days left',
  clientCertificateMode: 'Client certificate',
  securityBaseline: 'Security baseline',
  minTLSVersion: 'Oldest version of TLS',
  minKeySizeBits: 'Fewest bits of the key',
  weakSignatureAlgorithm: 'Weak signature',
  weakCipherSuite: 'Weak cipher',
  knownBadCA: 'Authority that browsers threw out',
  recommendedTLSVersion: 'Recommended version of TLS',
  recommendedKeySizeBits: 'Recommended bits of the key',
  ocspMustStapleRespected: 'Stapled answer where the certificate asks for it',
  sctPresent: 'Certificate transparency',
  grpcConfig: 'Call',
  tls: 'Over TLS',
  serviceDefinition: 'Who describes the service',
  protoContent: '.proto file',
  timeout: 'Time limit (s)',
  maxHops: 'Most hops',
  maxUnknownHops: 'Most silent hops in a row',
  ptrLookup: 'Names of routers',
  intent: 'What it is for',
  aiAutoRepairEnabled: 'Repair by AI',
  sendTraceparent: 'Send a traceparent',
  sslExpiry: 'Expiring certificates',
  sslExpiryThreshold: 'Days before a certificate expires',
  slugName: 'Slug',
  proxyUrl: 'Proxy',
  scalesToZero: 'May have no agent while nothing waits',
  incidentUpdates: 'First update',
  statusPageIds: 'Status pages',
  serviceIds: 'Services',
  serviceId: 'Service',
  customDomain: 'Own domain',
  autoSubscribe: 'Told of every check that is made later',
  locationAlerts: 'Told of private locations without agents, with too few or outdated ones',
  subscribeExistingChecks: 'Told of all checks that exist',
  groupIds: 'Groups',
  all: 'All checks',
  search: 'Name contains',
  autoAssignAlerts: 'Subscribe the existing alert channels',
  publicIncidentUpdateDate: 'When it happened',
  translations: 'In other languages',
  config: 'Settings',
  cert: 'Certificate',
  ca: 'Certificate authorities',
  sendFailure: 'Tells of failures',
  sendDegraded: 'Tells of degradations',
  sendRecovery: 'Tells of recoveries',
  results: 'Results',
  details: 'Details',
  rollups: 'Rollups',
  notifications: 'Notifications',
  agentErrors: 'Agent errors',
  audit: 'Audit',
  mails: 'Mails',
  message: 'Message',
}

/** Labels that are a form's own: what stands beside them says what they are of. */
const formLabels: { readonly [name: string]: string } = {
  privateLocations: 'From',
  locations: 'From these public locations',
  assertions: 'It is well when',
  alertChannelSubscriptions: 'These alert channels',
  autoAssignAlerts: 'All alert channels that there are',
  queryParameters: 'Query parameters',
  environmentVariables: 'Variables',
  localSetupScript: 'Script before the request',
  localTearDownScript: 'Script after the request',
  setupSnippetId: 'Snippet before the request',
  tearDownSnippetId: 'Snippet after the request',
  bodyType: 'Kind of body',
  data: 'Data to send',
  property: 'Which part',
  target: 'Value',
  regex: 'Pattern',
  basicAuth: 'Signs in with a name and a password',
}

const knownLabel = (name: string): string | undefined =>
  Object.hasOwn(labels, name) ? labels[name] : undefined

const abbreviations = /\b(api|cls|cpu|dns|fcp|http|icmp|ip|json|lcp|rtt|sms|ssl|tbt|tcp|tls|ttfb|url)\b/gi

/** `degradedResponseTime` → `Degraded response time`, `sslCheckDomain` → `SSL check domain` */
const labelOf = (name: string): string => {
  const known = knownLabel(name)
  if (known !== undefined) return known
  const spaced = name
    .replaceAll('_', ' ')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
  const label = `${spaced.charAt(0).toUpperCase()}${spaced.slice(1)}`
  return label.replace(abbreviations, (word) => word.toUpperCase())
}

/** The same in the reader's language; names that no schema has, such as those of headers, are somebody's data. */
export const sayLabel = (name: string): Content =>
  knownLabel(name) !== undefined || /^[a-z][A-Za-z0-9_]*$/.test(name) ? say(labelOf(name)) : name

export const formLabel = (name: string): string => formLabels[name] ?? labelOf(name)

/** Minutes, as the frequency of a check says them. */
const minutes = (value: number): string => {
  if (value === 0) return 'every few seconds (the offset says how many)'
  if (value < 60) return value === 1 ? 'every minute' : `every ${value} minutes`
  if (value === 1440) return 'every day'
  return value === 60 ? 'every hour' : `every ${value / 60} hours`
}

/** What a value is called. */
export const optionLabel = (name: string, value: unknown): string => {
  if (typeof value === 'number') return name === 'frequency' ? minutes(value) : String(value)
  return wordOf(String(value), name)
}

const sayMinutes = (value: number): Content => {
  if (value === 0) return say('every few seconds (the offset says how many)')
  if (value < 60) return count(value, { one: 'every minute', other: 'every # minutes' })
  if (value === 1440) return say('every day')
  return count(value / 60, { one: 'every hour', other: 'every # hours' })
}

/** What a value is called, in the reader's language. */
export const sayOption = (name: string, value: unknown): Content => {
  if (typeof value === 'number') return name === 'frequency' ? sayMinutes(value) : value
  return sayWord(String(value), name)
}
