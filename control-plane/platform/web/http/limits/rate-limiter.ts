/**
 * Fixed windows: `requests` per `seconds`, counted per name from its first request. Every request costs the same, refused
 * or not: two look-ups. Memory is bounded: when there are as many windows as there may be, those that come new share the
 * window of what they belong to, and in the end one. No window goes before it has ended, so nobody gets a new one by
 * making many.
 */
import { ApiError } from '../../../words/errors.ts'
import type { RateLimit } from '../route.ts'

export type Usage = {
  allowed: boolean
  limit: number
  remaining: number
  /** Whole seconds until the window ends, at least 1. */
  resetSeconds: number
}

/** Who is counted; `wider`: what they belong to, for when they cannot be counted alone. */
export type Counted = { name: string; wider(): string }

export type RateLimiter = {
  /** Counts one. */
  take(counted: Counted, now: number): Usage
  /** What the next one would be told. */
  look(counted: Counted, now: number): Usage
}

type Window = { endsAt: number; count: number }
type Windows = {
  find(name: string, now: number): Window | undefined
  /** null: there is no room. */
  open(name: string, now: number): Window | null
  isFull(): boolean
}

export const createRateLimiter = ({ requests, seconds }: RateLimit, maxWindows: number): RateLimiter => {
  const lengthMs = seconds * 1000
  const own = createWindows(lengthMs, maxWindows)
  const wider = createWindows(lengthMs, Math.ceil(maxWindows / 4))
  const shared = createWindows(lengthMs, 1)
  const windowOf = (counted: Counted, now: number): Window => {
    const alone = own.find(counted.name, now) ?? own.open(counted.name, now)
    if (alone !== null) return alone
    const name = counted.wider()
    const together = wider.find(name, now) ?? wider.open(name, now)
    return together ?? shared.find('', now) ?? shared.open('', now) ?? never()
  }
  const knownWindow = ({ name, wider: widerName }: Counted, now: number): Window | undefined => {
    const alone = own.find(name, now)
    return alone ?? (own.isFull() ? (wider.find(widerName(), now) ?? shared.find('', now)) : undefined)
  }
  const usage = ({ count, endsAt }: Window, now: number): Usage => ({
    allowed: count <= requests,
    limit: requests,
    remaining: Math.max(0, requests - count),
    resetSeconds: Math.max(1, Math.ceil((endsAt - now) / 1000)),
  })
  return {
    take: (counted, now) => {
      const window = windowOf(counted, now)
      window.count += 1
      return usage(window, now)
    },
    look: (counted, now) => {
      const { count, endsAt } = knownWindow(counted, now) ?? { count: 0, endsAt: now + lengthMs }
      return usage({ count: count + 1, endsAt }, now)
    },
  }
}

const never = (): never => {
  throw new Error('The shared window has room for itself')
}

/** In two generations, each as long as a window: when the older one goes, all of its windows have ended. */
const createWindows = (lengthMs: number, max: number): Windows => {
  let current = new Map<string, Window>()
  let previous = new Map<string, Window>()
  let turnsAt = Number.NEGATIVE_INFINITY
  const turn = (now: number): void => {
    if (now < turnsAt) return
    previous = now < turnsAt + lengthMs ? current : new Map()
    current = new Map()
    turnsAt = now + lengthMs
  }
  return {
    find: (name, now) => {
      turn(now)
      const window = current.get(name) ?? previous.get(name)
      return window !== undefined && window.endsAt > now ? window : undefined
    },
    open: (name, now) => {
      if (current.size >= max && !current.has(name)) return null
      const window = { endsAt: now + lengthMs, count: 0 }
      current.set(name, window)
      return window
    },
    isFull: () => current.size >= max,
  }
}

/** On every answer. */
export const rateLimitHeaders = ({ limit, remaining, resetSeconds }: Usage): Record<string, string> => ({
  'ratelimit-limit': String(limit),
  'ratelimit-remaining': String(remaining),
  'ratelimit-reset': String(resetSeconds),
})

/** On a 429: when to come back, and the same once more under the names that older clients read. */
const refusalHeaders = (usage: Usage): Record<string, string> => ({
  ...rateLimitHeaders(usage),
  'retry-after': String(usage.resetSeconds),
  'x-ratelimit-limit': String(usage.limit),
  'x-ratelimit-remaining': String(usage.remaining),
  'x-ratelimit-reset': String(usage.resetSeconds),
})

/** @throws ApiError 429, with when to come back */
export const requireAllowed = (usage: Usage, message?: string): void => {
  if (!usage.allowed) throw new ApiError(429, message, { headers: refusalHeaders(usage) })
}
