/**
 * Whether the store takes what is written: one that waits for a standby which is gone goes on answering what is read. The sign
 * of life that every control plane gives each second is the measure.
 */
import { perApp } from './per-app.ts'

/** Longer than a commit takes on a store that is well but busy, and shorter than connections are given up. */
const slowMs = 8000

export const commitWatch = perApp(({ clock }) => {
  let beganAt: number | null = null
  let lastMs = 0
  return {
    /** @throws as the write does */
    measure: async <T>(write: () => Promise<T>): Promise<T> => {
      beganAt = clock.monotonic()
      try {
        return await write()
      } finally {
        lastMs = clock.monotonic() - beganAt
        beganAt = null
      }
    },
    /** The last one took too long, or the present one does. */
    isSlow: (): boolean => lastMs > slowMs || (beganAt !== null && clock.monotonic() - beganAt > slowMs),
  }
})
