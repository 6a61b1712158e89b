import { setTimeout as sleep } from 'node:timers/promises'
import { storeErrorKind } from './store-error.ts'

const longestPauseMs = 50

/**
 * Tries again from the event loop, which goes on meanwhile, what another process keeps us from (a backup, an administrator):
 * SQLite's own waiting would hold up everything else.
 */
export const untilFree =
  (busyWithinMs: number) =>
  async <T>(act: () => Promise<T>): Promise<T> => {
    const until = performance.now() + busyWithinMs
    for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        return await act()
      } catch (error) {
        if (storeErrorKind(error) !== 'busy' || performance.now() >= until) throw error
        await sleep(pauseMs)
      }
    }
  }
