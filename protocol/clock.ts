import { Type } from 'typebox'

/** The time as both programs see it. Pure: the real timers are in their composition roots. */
export type Clock = {
  /** Epoch milliseconds. */
  now(): number
  /** Milliseconds that never go back, for durations. */
  monotonic(): number
  /** Resolves after `delayMs`, or at once when the signal aborts. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
}

export type TimerClock = Clock & {
  /** Calls `act` once after `delayMs`; the returned function cancels it. */
  at(delayMs: number, act: () => void): () => void
}

/** Timers of Node with a longer delay run at once. */
export const longestDelayMs = 2 ** 31 - 1

/** `sleep` in terms of `at`, so that a clock is one function. */
export const sleepWith =
  (at: TimerClock['at']): Clock['sleep'] =>
  (delayMs, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve()
      const wake = (): void => {
        cancel()
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      const cancel = at(delayMs, wake)
      signal?.addEventListener('abort', wake)
    })

/** Epoch milliseconds on the control plane's clock. */
export const Instant = Type.Integer({ minimum: 0 })
