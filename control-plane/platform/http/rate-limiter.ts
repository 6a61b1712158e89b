/** Fixed windows: `requests` per `seconds`, counted per key from the key's first request. Memory is bounded. */
import type { RateLimit } from './route.ts'

export type Usage = {
  allowed: boolean
  limit: number
  remaining: number
  /** Whole seconds until the window ends, at least 1. */
  resetSeconds: number
}

export type RateLimiter = { take(key: string, now: number): Usage }

type Window = { endsAt: number; count: number }

/** When this many keys are being counted, new ones share one window until old windows have ended. */
const maxKeys = 20_000
const overflow = '\n overflow'

export const createRateLimiter = ({ requests, seconds }: RateLimit): RateLimiter => {
  const windows = new Map<string, Window>()
  const windowOf = (key: string, now: number): Window => {
    const known = windows.get(key)
    if (known && known.endsAt > now) return known
    if (!known && windows.size >= maxKeys) {
      for (const [other, { endsAt }] of windows) if (endsAt <= now) windows.delete(other)
      if (windows.size >= maxKeys && key !== overflow) return windowOf(overflow, now)
    }
    const fresh = { endsAt: now + seconds * 1000, count: 0 }
    windows.set(key, fresh)
    return fresh
  }
  return {
    take: (key, now) => {
      const window = windowOf(key, now)
      window.count += 1
      return {
        allowed: window.count <= requests,
        limit: requests,
        remaining: Math.max(0, requests - window.count),
        resetSeconds: Math.max(1, Math.ceil((window.endsAt - now) / 1000)),
      }
    },
  }
}

/** On every answer. */
export const rateLimitHeaders = ({ limit, remaining, resetSeconds }: Usage): Record<string, string> => ({
  'ratelimit-limit': String(limit),
  'ratelimit-remaining': String(remaining),
  'ratelimit-reset': String(resetSeconds),
})

/** On a 429: when to come back, and the same once more under the names that older clients read. */
export const refusalHeaders = (usage: Usage): Record<string, string> => ({
  ...rateLimitHeaders(usage),
  'retry-after': String(usage.resetSeconds),
  'x-ratelimit-limit': String(usage.limit),
  'x-ratelimit-remaining': String(usage.remaining),
  'x-ratelimit-reset': String(usage.resetSeconds),
})
