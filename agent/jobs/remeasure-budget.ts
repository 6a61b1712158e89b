import type { TimerClock } from '../../protocol/clock.ts'

/**
 * How often this agent measures again what passed, only because its times may be false. An agent that is busy stalls, and would be
 * busier still if it then did everything twice.
 */
export type Repeats = {
  /** Whether there may be one more now. */
  take(): boolean
}

export const repeatsPerSecond = 5

export const createRepeats = (clock: Pick<TimerClock, 'monotonic'>): Repeats => {
  let left = repeatsPerSecond
  let at = clock.monotonic()
  return {
    take: () => {
      const now = clock.monotonic()
      left = Math.min(repeatsPerSecond, left + ((now - at) / 1000) * repeatsPerSecond)
      at = now
      if (left < 1) return false
      left -= 1
      return true
    },
  }
}
