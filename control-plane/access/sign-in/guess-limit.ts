/**
 * Guesses of strangers at one secret, all together. Half of them are for networks that have hardly tried: whoever wants to use up
 * all of them, so that the right person on a new device is refused, needs a network for every other guess. What is refused is not counted.
 */
import { siteNetwork } from '../../platform/web/http/limits/address-network.ts'
import { type Counted, createRateLimiter, type Usage } from '../../platform/web/http/limits/rate-limiter.ts'
import type { RateLimit } from '../../platform/web/http/route.ts'

/** Of a network, from the half that is kept. */
const hardly = 2

type GuessLimit = { take(counted: Counted, address: string, now: number): Usage }

export const createGuessLimit = (limit: RateLimit, maxWindows: number): GuessLimit => {
  const all = createRateLimiter(limit, maxWindows)
  const ofNetwork = createRateLimiter({ ...limit, requests: hardly }, maxWindows)
  return {
    take: (counted, address, now) => {
      const site = siteNetwork(address)
      const tried = ofNetwork.take({ name: `${counted.name} ${site}`, wider: () => site }, now)
      const next = all.look(counted, now)
      const isTaken = next.allowed && (tried.allowed || next.remaining >= limit.requests / 2)
      return isTaken ? all.take(counted, now) : { ...next, allowed: false }
    },
  }
}
