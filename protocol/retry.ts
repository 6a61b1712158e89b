/**
 * Whether a failed attempt is repeated, when, and where. Pure.
 *
 * | type | wait before retry n |
 * |---|---|
 * | `FIXED` | base |
 * | `LINEAR` | base × n |
 * | `EXPONENTIAL` | base ^ n |
 * | `SINGLE_RETRY` | base, once |
 */

/** As stored; a field that is missing has its default. */
export type RetryStrategy = {
  type?: string
  baseBackoffSeconds?: number
  maxRetries?: number
  maxDurationSeconds?: number
  sameRegion?: boolean
  onlyOn?: readonly string[]
}

/** What the deprecated `doubleCheck` stands for. */
export const doubleCheckStrategy: RetryStrategy = {
  type: 'FIXED',
  baseBackoffSeconds: 0,
  maxRetries: 1,
  maxDurationSeconds: 600,
  sameRegion: false,
}

type CheckPart = { retryStrategy?: object | null; doubleCheck?: boolean }
type GroupPart = { retryStrategy: object | 'FALLBACK' | null }

/**
 * The group's, unless that is `FALLBACK`; else the check's, else its double check. Null: no retries, which is all there is
 * for types that have no strategy.
 */
export const retryStrategyOf = (check: CheckPart, group: GroupPart | null): RetryStrategy | null => {
  if (!('retryStrategy' in check)) return null
  if (group !== null && typeof group.retryStrategy !== 'string') return group.retryStrategy
  return check.retryStrategy ?? (check.doubleCheck ? doubleCheckStrategy : null)
}

export type FailedAttempt = {
  /** From 1. */
  attempt: number
  /** Whether it failed below the protocol, without an answer. */
  networkError: boolean
  /** From the start of the first attempt to the end of this one. */
  elapsedMs: number
  /** Parallel runs are always retried where they ran. */
  parallel: boolean
}

/** `elsewhere`: in another of the check's locations, if there is one. */
export type Retry = { waitMs: number; elsewhere: boolean }

export const nextRetry = (strategy: RetryStrategy | null, failed: FailedAttempt): Retry | null => {
  if (strategy === null) return null
  const { type = 'FIXED', baseBackoffSeconds: base = 60, sameRegion = true, onlyOn = [] } = strategy
  const single = type === 'SINGLE_RETRY'
  const retries = single ? 1 : (strategy.maxRetries ?? 2)
  if (failed.attempt > retries) return null
  if (onlyOn.includes('NETWORK_ERROR') && !failed.networkError) return null
  const waitMs = Math.round(waitSeconds(type, base, failed.attempt) * 1000)
  const longestMs = single ? Number.POSITIVE_INFINITY : (strategy.maxDurationSeconds ?? 600) * 1000
  if (failed.elapsedMs + waitMs > longestMs) return null
  return { waitMs, elsewhere: !(sameRegion || failed.parallel) }
}

const waitSeconds = (type: string, base: number, retry: number): number => {
  if (type === 'LINEAR') return base * retry
  return type === 'EXPONENTIAL' ? base ** retry : base
}
