import type { IncomingMessage } from 'node:http'
import type { App } from '../app.ts'
import { ApiError } from './errors.ts'
import { createRateLimiter, refusalHeaders } from './rate-limiter.ts'

/** Wrong keys per remote address before the answer is 429: guessing stays slow, a right key still works. */
const allowedFailures = { requests: 60, seconds: 60 }

/** Counts one failed authentication. @throws ApiError 429 when the address has had too many. */
export const createFailureLimit = (app: App) => {
  const failures = createRateLimiter(allowedFailures)
  return (request: IncomingMessage): void => {
    const usage = failures.take(String(request.socket.remoteAddress), app.clock.now())
    if (usage.allowed) return
    throw new ApiError(429, 'Too many requests with a wrong key', {
      headers: refusalHeaders(usage),
    })
  }
}
