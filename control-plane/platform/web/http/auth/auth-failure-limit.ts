/**
 * Wrong keys per address. An address that has sent many is refused before its key is looked up; keys that were right
 * before are not, nor are a few each minute that nobody knows yet: a right key works from behind the same address.
 */
import type { IncomingMessage } from 'node:http'
import type { App } from '../../../app/app.ts'
import type { CountedClient } from '../limits/enforce-rate-limit.ts'
import { createRateLimiter, requireAllowed } from '../limits/rate-limiter.ts'

/** Wrong keys, until the answer is 429: guessing stays slow. */
const allowedFailures = { requests: 60, seconds: 60 }
/** Keys that are looked up all the same. */
const furtherLookups = { requests: 10, seconds: 60 }
const maxAddresses = 10_000
const tooMany = 'Too many requests with a wrong key'

type FailureLimit = {
  /** Before a key is looked up; `isKnown`: it was right before. @throws ApiError 429 */
  admit(request: IncomingMessage, isKnown: () => boolean): void
  /** Counts one failed authentication. @throws ApiError 429 when the address has had too many. */
  count(request: IncomingMessage): void
}

export const createFailureLimit = ({ clock }: App, clientOf: CountedClient): FailureLimit => {
  const failures = createRateLimiter(allowedFailures, maxAddresses)
  const lookups = createRateLimiter(furtherLookups, maxAddresses)
  return {
    admit: (request, isKnown) => {
      const counted = clientOf(request)
      const usage = failures.look(counted, clock.now())
      if (usage.allowed || isKnown() || lookups.take(counted, clock.now()).allowed) return
      requireAllowed(usage, tooMany)
    },
    count: (request) => requireAllowed(failures.take(clientOf(request), clock.now()), tooMany),
  }
}
