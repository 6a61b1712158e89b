import type { Sections } from '../rule.ts'

export const heartbeatCheck: Sections = {
  'Heartbeat check': [
    'heartbeat: an object, required',
    'heartbeat.period: a number',
    'heartbeat.grace: a number',
    'heartbeat.pingToken: text',
    'heartbeat.pingUrl: response only, the address to ping',
    'script: text, required',
    'frequencyOffset: an integer from 1',
    'request: an object',
    'scriptPath: text or null',
    'sslCheckDomain: text',
    'environmentVariables: a list of at most 100 items, or null',
    'setupSnippetId: number of a snippet, or null',
    'tearDownSnippetId: number of a snippet, or null',
    'localSetupScript: text or null',
    'localTearDownScript: text or null',
    'degradedResponseTime: milliseconds or null, default 10000, 0 to 300000',
    'maxResponseTime: milliseconds or null, default 20000, 0 to 300000',
    'every field of the table is in what is read, with its type',
  ],
}
