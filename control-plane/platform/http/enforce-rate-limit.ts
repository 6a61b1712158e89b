import type { IncomingMessage } from 'node:http'
import type { Endpoint } from './endpoint.ts'
import { ApiError } from './errors.ts'
import { refusalHeaders, type Usage } from './rate-limiter.ts'
import type { AccountPrincipal, AgentPrincipal, PublicPrincipal } from './route.ts'

export type Principal = AccountPrincipal | AgentPrincipal | PublicPrincipal

type Caller = { principal: Principal; request: IncomingMessage }

/** Counts one request against the endpoint's limit: per key, per address where there is none. @throws ApiError 429 */
export const limitRate = (endpoint: Endpoint, { principal, request }: Caller, now: number): Usage => {
  const key = principal.kind === 'public' ? `address ${request.socket.remoteAddress}` : principal.keyId
  const usage = endpoint.limiter.take(key, now)
  if (!usage.allowed) throw new ApiError(429, undefined, { headers: refusalHeaders(usage) })
  return usage
}
