import { always, recordNames, whereEmpty } from '../../platform/words/shapes/ignored-names.ts'

/** Of assertions as older editors kept them. */
const assertionsOf = (list: string) =>
  always(...['edit', 'order', 'arrayIndex', 'arraySelector'].map((name) => `${list}[].${name}`))

/** `heartbeat` counts for heartbeat checks, and is ignored on others. */
export const ignoredOfChecks = [
  ...recordNames,
  ...always('alertChannels', 'warnings', 'sslCheck', 'heartbeat', 'heartbeat.pingUrl'),
  ...always('alertSettings.sslCertificates'),
  ...assertionsOf('request.assertions'),
  ...whereEmpty('sslCheckDomain', 'request', 'request.body', 'request.headers', 'request.queryParameters'),
]

export const ignoredOfGroups = [
  ...recordNames,
  ...always('alertChannels', 'warnings', 'alertSettings.sslCertificates'),
  ...assertionsOf('apiCheckDefaults.assertions'),
]
