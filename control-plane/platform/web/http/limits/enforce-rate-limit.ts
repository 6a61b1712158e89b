import type { IncomingMessage } from 'node:http'
import { boundedMemo } from '../../../../../protocol/bounded-memo.ts'
import type { App } from '../../../app/app.ts'
import type { AccountPrincipal, ProgramPrincipal, PublicPrincipal } from '../route.ts'
import { defaultRateLimit, type Endpoint } from '../server/endpoint.ts'
import { clientNetwork, siteNetwork } from './address-network.ts'
import type { ClientAddress } from './client-address.ts'
import { type Counted, createRateLimiter, requireAllowed, type Usage } from './rate-limiter.ts'

export type Principal = AccountPrincipal | ProgramPrincipal | PublicPrincipal

/** The address of a request, as it is counted. */
export type CountedClient = (request: IncomingMessage) => Counted

/** Reading an IPv6 address takes longer than all else here: most come again. */
const maxRemembered = 10_000

export const createCountedClient = (addressOf: ClientAddress): CountedClient => {
  const counted = boundedMemo(countedAddress, { limit: maxRemembered })
  return (request) => counted(addressOf(request))
}

const countedAddress = (address: string): Counted => ({
  name: clientNetwork(address),
  wider: () => siteNetwork(address),
})

const countedKey = (principal: AccountPrincipal | ProgramPrincipal): Counted => ({
  name: principal.keyId,
  wider: () => (principal.kind === 'program' ? principal.countedWith : principal.accountId),
})

/** Paths that nobody serves cost little, and are counted all the same: by address. */
export const createUnroutedLimit = ({ clock }: Pick<App, 'clock'>, clientOf: CountedClient) => {
  const limiter = createRateLimiter(defaultRateLimit, maxRemembered)
  /** @throws ApiError 429 */
  return (request: IncomingMessage): void => {
    requireAllowed(limiter.take(clientOf(request), clock.now()))
  }
}

export type LimitedCaller = { principal: Principal; request: IncomingMessage; clientOf: CountedClient }

/** Counts one request against the endpoint's limit: per key, per address where there is none. */
export const usageOf = (
  endpoint: Endpoint,
  { principal, request, clientOf }: LimitedCaller,
  now: number,
): Usage => {
  const counted = principal.kind === 'public' ? clientOf(request) : countedKey(principal)
  return endpoint.limiter.take(counted, now)
}

/** @throws ApiError 429 */
export const limitRate = (endpoint: Endpoint, caller: LimitedCaller, now: number): Usage => {
  const usage = usageOf(endpoint, caller, now)
  requireAllowed(usage)
  return usage
}
