import { setImmediate as nextTurn } from 'node:timers/promises'
import { realClock } from '../../agent/program/real-io.ts'
import type { TimerClock } from '../../protocol/clock.ts'

/** A clock whose timers of some lengths pass when the test says so, not when a busy machine has been slow. */
export type HeldTimer = {
  clock: TimerClock
  /** How many of those timers wait. */
  waiting(): number
  /** The time of the timer that waits is up: called once the other side has got as far as it shall. */
  pass(): void
  /** The same, when everything that has arrived in this process by now has been read. */
  passSoon(): void
}

/** Holds back every timer of `held` milliseconds, or of so many that it says yes; all others are those of the real clock. */
export const heldTimer = (held: number | ((delayMs: number) => boolean)): HeldTimer => {
  const real = realClock()
  const isHeld = typeof held === 'number' ? (delayMs: number) => delayMs === held : held
  const waiting = new Set<() => void>()
  const pass = (): void => {
    for (const act of waiting) {
      waiting.delete(act)
      act()
    }
  }
  return {
    clock: {
      ...real,
      at: (wantedMs, act) => {
        if (!isHeld(wantedMs)) return real.at(wantedMs, act)
        waiting.add(act)
        return () => waiting.delete(act)
      },
    },
    waiting: () => waiting.size,
    pass,
    passSoon: async () => {
      // Sockets are read between two turns; TLS and decompression take a few of them.
      for (let turn = 0; turn < 10; turn += 1) await nextTurn()
      pass()
    },
  }
}
