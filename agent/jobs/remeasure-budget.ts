import type { TimerClock } from '../../protocol/clock.ts'

/**
 * How often this agent measures again what passed, only because its times may be false. An agent that is busy stalls, and would be
 * busier still if it then did everything twice.
 */
export type RemeasureBudget = {
  /** Whether there may be one more now. */
  take(): boolean
}

export const remeasuredPerSecond = 5

export const createRemeasureBudget = (clock: Pick<TimerClock, 'monotonic'>): RemeasureBudget => {
  let left = remeasuredPerSecond
  let at = clock.monotonic()
  return {
    take: () => {
      const now = clock.monotonic()
      left = Math.min(remeasuredPerSecond, left + ((now - at) / 1000) * remeasuredPerSecond)
      at = now
      if (left < 1) return false
      left -= 1
      return true
    },
  }
}
