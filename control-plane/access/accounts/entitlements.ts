import type { Static } from 'typebox'
import { defaultRateLimit } from '../../platform/web/http/server/endpoint.ts'
import type { Entitlements } from './schema.ts'

type Entitlement = Static<typeof Entitlements>['entitlements'][number]

export const plan = { plan: 'SELF_HOSTED', planDisplayName: 'Self-hosted' } as const

const feature = (key: string, name: string): Entitlement => ({
  key,
  name,
  type: 'FEATURE',
  enabled: true,
  quantity: null,
})

const limit = (key: string, name: string, quantity: number | null): Entitlement => ({
  key,
  name,
  type: 'LIMIT',
  enabled: true,
  quantity,
})

/** Nothing is sold here: every account has every feature, and the only limits are those of the API itself. */
export const entitlements: readonly Entitlement[] = [
  feature('PRIVATE_LOCATIONS', 'Private locations'),
  feature('STATUS_PAGES', 'Status pages'),
  feature('MAINTENANCE_WINDOWS', 'Maintenance windows'),
  feature('CLIENT_CERTIFICATES', 'Client certificates'),
  feature('ROOT_CAUSE_ANALYSES', 'Root cause analyses'),
  feature('SERVICE_API_KEYS', 'Service API keys'),
  limit('CHECKS', 'Checks', null),
  limit('CHECK_RUNS', 'Check runs a month', null),
  limit('MEMBERS', 'Members', null),
  limit('API_REQUESTS_PER_MINUTE', 'API requests a minute and key', defaultRateLimit.requests),
  limit('ENVIRONMENT_VARIABLES_PER_CHECK', 'Environment variables of a check or group', 100),
  limit('KEYS_PER_PRIVATE_LOCATION', 'Keys of a private location', 2),
]

export const features: readonly string[] = entitlements
  .filter(({ type }) => type === 'FEATURE')
  .map(({ key }) => key)
