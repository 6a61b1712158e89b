/** The three checks whose creation the contract describes, as resources with rules. */
import type { Body, Resource } from './field-rules.ts'

const read = '/v1/checks'

export const urlMonitor: Resource = {
  create: '/v1/checks/url',
  read,
  minimum: () => ({ name: 'site', request: { url: 'https://example.com/' } }),
}

export const browserCheck: Resource = {
  create: '/v1/checks/browser',
  read,
  minimum: () => ({ name: 'sign in', script: '// a script' }),
}

export const heartbeatCheck: Resource = {
  create: '/v1/checks/heartbeat',
  read,
  minimum: (): Body => ({ name: 'backup', heartbeat: { period: 60, grace: 30 }, script: '' }),
}

export const threeKinds = [urlMonitor, browserCheck, heartbeatCheck]
