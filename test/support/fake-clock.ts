import { sleepWith, type TimerClock } from '../../protocol/clock.ts'
import './patience.ts'

/** A clock that stands still until `advance`, which runs what becomes due in order, at its own time. */
export type FakeClock = TimerClock & {
  advance(ms: number): void
  /** How many timers wait. */
  timers(): number
  /** How long until the next of them; null: none waits. */
  next(): number | null
}

type Timer = { dueAt: number; act: () => void }

export const fakeClock = (startMs = Date.UTC(2026, 0, 1)): FakeClock => {
  let elapsed = 0
  const timers = new Set<Timer>()
  const at = (delayMs: number, act: () => void): (() => void) => {
    const timer = { dueAt: elapsed + Math.max(0, delayMs), act }
    timers.add(timer)
    return () => timers.delete(timer)
  }
  const earliest = (until: number): Timer | undefined => {
    let first: Timer | undefined
    for (const timer of timers)
      if (timer.dueAt <= until && (first === undefined || timer.dueAt < first.dueAt)) first = timer
    return first
  }
  return {
    now: () => startMs + elapsed,
    monotonic: () => elapsed,
    at,
    sleep: sleepWith(at),
    timers: () => timers.size,
    next: () => {
      const first = earliest(Number.POSITIVE_INFINITY)
      return first === undefined ? null : Math.max(0, first.dueAt - elapsed)
    },
    advance: (ms) => {
      const until = elapsed + ms
      for (let timer = earliest(until); timer !== undefined; timer = earliest(until)) {
        timers.delete(timer)
        elapsed = Math.max(elapsed, timer.dueAt)
        timer.act()
      }
      elapsed = until
    },
  }
}
