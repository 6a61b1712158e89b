import { always, recordNames, whereEmpty } from '../../platform/words/shapes/ignored-names.ts'
import { checkKinds } from './checks/types/index.ts'

/** Of assertions as older editors kept them. */
const assertionsOf = (list: string) =>
  always(...['edit', 'order', 'arrayIndex', 'arraySelector'].map((name) => `${list}[].${name}`))

/** Clients that have one structure for all types send what it holds for the others, too, with nothing in it. */
const fieldsOfAnyType = [
  ...new Set(Object.values(checkKinds).flatMap(({ fields }) => Object.keys(fields))),
].filter((name) => !['script', 'sslCheckDomain', 'request', 'heartbeat', 'frequencyOffset'].includes(name))

/** `heartbeat` counts for heartbeat checks and `frequencyOffset` where runs can be seconds apart; both are ignored on others. */
export const ignoredOfChecks = [
  ...recordNames,
  ...always('alertChannels', 'warnings', 'sslCheck', 'heartbeat', 'heartbeat.pingUrl', 'frequencyOffset'),
  ...always('alertSettings.sslCertificates'),
  ...assertionsOf('request.assertions'),
  ...always('script', 'sslCheckDomain', 'snapshots', 'agentRuntime'),
  ...whereEmpty(...fieldsOfAnyType),
  ...whereEmpty('request', 'request.body', 'request.headers', 'request.queryParameters'),
]

export const ignoredOfGroups = [
  ...recordNames,
  ...always('v', 'alertChannels', 'warnings', 'alertSettings.sslCertificates'),
  ...assertionsOf('apiCheckDefaults.assertions'),
]
