/** Names of fields and values as people read them. Pure. */
import { wordOf } from '../words.ts'

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
  runtimeId: 'Runtime',
  alertChannelSubscriptions: 'Alert channels',
  alertChannelId: 'Alert channel',
  useGlobalAlertSettings: "Use the account's alert settings",
  alertSettings: 'Alert settings',
  retryStrategy: 'Retries',
  triggerIncident: 'Open an incident',
  runParallel: 'Run in all locations at once',
  skipSSL: 'Accept any certificate',
  ipFamily: 'IP family',
  intent: 'What it is for',
  aiAutoRepairEnabled: 'Repair by AI',
  sendTraceparent: 'Send a traceparent',
  sslExpiry: 'Expiring certificates',
  sslExpiryThreshold: 'Days before a certificate expires',
  slugName: 'Slug',
  proxyUrl: 'Proxy',
  incidentUpdates: 'First update',
  statusPageIds: 'Status pages',
  serviceIds: 'Services',
  serviceId: 'Service',
  customDomain: 'Own domain',
  autoSubscribe: 'Told of checks that are made later, too',
  subscribeExistingChecks: 'Told of all checks that exist',
  groupIds: 'Groups',
  all: 'All checks',
  search: 'Name contains',
  autoAssignAlerts: 'Subscribe the existing alert channels',
  publicIncidentUpdateDate: 'When it happened',
}

/** `degradedResponseTime` → `Degraded response time` */
export const labelOf = (name: string): string => {
  const known = labels[name]
  if (known !== undefined) return known
  const spaced = name
    .replaceAll('_', ' ')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return `${spaced.charAt(0).toUpperCase()}${spaced.slice(1)}`
}

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
