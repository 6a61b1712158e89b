/**
 * The fixed list of names that the bodies of writes may have without meaning anything: those that only answers have, so
 * that what was read can be sent back, and those that older clients of such services send. They are ignored whatever
 * they hold, unless it says here when. A name that a resource knows is never ignored where it knows it, so `heartbeat`
 * counts for heartbeat checks and is ignored on others. All other names are refused (docs/decisions/interface.md).
 */
import type { IgnoredName } from './drop-ignored.ts'

const always = (...paths: string[]): IgnoredName[] => paths.map((path) => ({ path }))
const whereEmpty = (...paths: string[]): IgnoredName[] => paths.map((path) => ({ path, only: 'empty' }))

const dates = ['created_at', 'updated_at', 'createdAt', 'updatedAt']
/** Of every resource. */
const record = always('id', ...dates)
/** Of the items of a list. */
const recordIn = (list: string): IgnoredName[] =>
  always(...['id', ...dates].map((name) => `${list}[].${name}`))

/** Of assertions as older editors kept them. */
const assertionsOf = (list: string): IgnoredName[] =>
  always(...['edit', 'order', 'arrayIndex', 'arraySelector'].map((name) => `${list}[].${name}`))

const oldAlertSettings = always('alertSettings.sslCertificates')

/** By resource. */
export const ignoredNames = {
  check: [
    ...record,
    ...always('alertChannels', 'warnings', 'sslCheck', 'heartbeat', 'heartbeat.pingUrl'),
    ...oldAlertSettings,
    ...assertionsOf('request.assertions'),
    ...whereEmpty('sslCheckDomain', 'request', 'request.body', 'request.headers', 'request.queryParameters'),
  ],
  checkGroup: [
    ...record,
    ...always('alertChannels'),
    ...oldAlertSettings,
    ...assertionsOf('apiCheckDefaults.assertions'),
  ],
  alertChannel: [...record, ...always('subscriptions[].id', 'warnings')],
  channelSubscription: record,
  snippet: record,
  variable: [...record, { path: 'key', only: 'in the address' }],
  clientCertificate: record,
  privateLocation: [
    ...record,
    ...always('keys', 'lastSeen', 'agentCount', 'minAgentVersion', 'unavailableSince', 'runningAgents'),
  ],
  maintenanceWindow: record,
  maintenance: [...record, ...always('maintenanceWindowId', 'status', 'updates')],
  maintenanceUpdate: [...record, ...always('notifySubscribers')],
  statusPage: [...record, ...always('accountId', 'incidents', 'keys'), ...recordIn('cards')],
  statusPageService: [...record, ...always('accountId')],
  incident: [
    ...record,
    ...always('lastUpdateStatus', 'duration', 'incidentUpdates'),
    ...recordIn('incidentUpdates'),
  ],
  statusPagePublication: always('hasPassword', 'domain'),
  incidentUpdate: record,
  errorGroup: [
    ...record,
    ...always('checkId', 'errorHash', 'rawErrorMessage', 'cleanedErrorMessage'),
    ...always('firstSeen', 'lastSeen', 'rootCauseAnalyses'),
  ],
  account: [...record, ...always('plan', 'planDisplayName', 'addons', 'features'), ...oldAlertSettings],
} satisfies Record<string, readonly IgnoredName[]>
