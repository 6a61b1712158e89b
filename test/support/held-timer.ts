import { setImmediate as nextTurn } from 'node:timers/promises'
import { realClock } from '../../agent/program/real-io.ts'
import type { TimerClock } from '../../protocol/clock.ts'

/** A clock whose timers of one length pass when the test says so, not when a busy machine has been slow. */
export type HeldTimer = {
  clock: TimerClock
  /** How many timers of that length wait. */
  waiting(): number
  /** The time of the timer that waits is up: called once the other side has got as far as it shall. */
  pass(): void
  /** The same, when everything that has arrived in this process by now has been read. */
  passSoon(): void
}

/** Holds back every timer of `delayMs`; all others are those of the real clock. */
export const heldTimer = (delayMs: number): HeldTimer => {
  const real = realClock()
  const held = new Set<() => void>()
  const pass = (): void => {
    for (const act of held) {
      held.delete(act)
      act()
    }
  }
  return {
    clock: {
      ...real,
      at: (wantedMs, act) => {
        if (wantedMs !== delayMs) return real.at(wantedMs, act)
        held.add(act)
        return () => held.delete(act)
      },
    },
    waiting: () => held.size,
    pass,
    passSoon: async () => {
      // Sockets are read between two turns; TLS and decompression take a few of them.
      for (let turn = 0; turn < 10; turn += 1) await nextTurn()
      pass()
    },
  }
}
