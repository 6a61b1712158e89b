import type { Static } from 'typebox'
import { locationNames, publicLocations } from '../../../protocol/location.ts'
import type { Config } from '../../platform/settings/config.ts'
import type { Entitlements } from './schema.ts'

type Entitlement = Static<typeof Entitlements>['entitlements'][number]

export const plan = { plan: 'SELF_HOSTED', planDisplayName: 'Self-hosted' } as const

const feature = (key: string, name: string, description: string): Entitlement => ({
  key,
  name,
  description,
  type: 'flag',
  enabled: true,
})

type Limit = { key: string; name: string; description: string; quantity?: number }

const limit = (of: Limit): Entitlement => ({ ...of, type: 'metered', enabled: true })

const flags: readonly Entitlement[] = [
  feature('PRIVATE_LOCATIONS', 'Private locations', 'Checks run by agents inside of your networks'),
  feature('STATUS_PAGES', 'Status pages', 'Pages, services, incidents and their subscribers'),
  feature('MAINTENANCE_WINDOWS', 'Maintenance windows', 'Pause checks, silence alerts and tell visitors'),
  feature('CLIENT_CERTIFICATES', 'Client certificates', 'Certificates that checks present'),
  feature('ROOT_CAUSE_ANALYSES', 'Root cause analyses', 'Why a check failed, with its evidence'),
  feature('SERVICE_API_KEYS', 'Service API keys', 'Keys of an account that belong to no person'),
]

const metered = (requestsPerMinute: number): Entitlement[] => [
  limit({ key: 'CHECKS', name: 'Checks', description: 'Of all types; as many as the machine runs' }),
  limit({ key: 'CHECK_RUNS', name: 'Check runs a month', description: 'Scheduled and triggered ones' }),
  limit({ key: 'MEMBERS', name: 'Members', description: 'People with a role in the account' }),
  limit({
    key: 'API_REQUESTS_PER_MINUTE',
    name: 'API requests a minute and key',
    description: 'Requests above it are refused with 429 until the minute is over',
    quantity: requestsPerMinute,
  }),
  limit({
    key: 'ENVIRONMENT_VARIABLES_PER_CHECK',
    name: 'Environment variables of a check or group',
    description: 'Beside those of the account, which all checks have',
    quantity: 100,
  }),
  limit({
    key: 'KEYS_PER_PRIVATE_LOCATION',
    name: 'Keys of a private location',
    description: 'Active at the same time, so that one can be replaced',
    quantity: 2,
  }),
]

/** A check may name every one of them: whether agents serve it is the operator's affair. */
export const entitledLocations: Static<typeof Entitlements>['locations'] = {
  all: publicLocations.map((id) => ({ id, name: locationNames[id], available: true })),
  maxPerCheck: publicLocations.length,
}

export const features: readonly string[] = flags.map(({ key }) => key)

/** Nothing is sold here: every account has every feature, and the only limits are those of the API itself. */
export const entitlementsOf = ({ apiRequestsPerMinute }: Config): Entitlement[] => [
  ...flags,
  ...metered(apiRequestsPerMinute),
]
