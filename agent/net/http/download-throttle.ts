/**
 * Large bodies are read in turns. What of a body comes beyond its first megabyte is taken from one budget of this process,
 * so that however many targets pour at once, the others find it with time to spare. First come, first served: the oldest
 * gets what it wants before the next one, and a slow one takes no more of the budget than it brings.
 */
import type { TimerClock } from '../../../protocol/clock.ts'

/** How much of each body is nobody's concern. */
export const freeBytes = 1024 * 1024

/** More than the network of most machines brings, and about a third of one core. */
const bytesPerMs = 300 * 1024
const burstBytes = 1024 * 1024
/** What one read brings at most. */
const readBytes = 64 * 1024

export type LargeBody = {
  /** So many bytes have come. False: no more until `resume` is called. */
  took(bytes: number): boolean
  /** It wants no more. */
  leave(): void
}

export type LargeBodies = { open(resume: () => void): LargeBody }

export const createLargeBodies = (clock: Pick<TimerClock, 'at' | 'monotonic'>): LargeBodies => {
  /** In the order of their coming; those that wait for their turn have `waits`. */
  const opened = new Set<{ resume(): void; waits: boolean }>()
  let budget = burstBytes
  let filledAt = clock.monotonic()
  let isAwaited = false

  const fill = (): void => {
    const now = clock.monotonic()
    budget = Math.min(burstBytes, budget + (now - filledAt) * bytesPerMs)
    filledAt = now
  }

  const awaitBudget = (): void => {
    if (isAwaited) return
    isAwaited = true
    clock.at(Math.max(1, Math.ceil((readBytes - budget) / bytesPerMs)), giveTurns)
  }

  const giveTurns = (): void => {
    isAwaited = false
    fill()
    let left = budget
    for (const body of opened) {
      if (!body.waits) continue
      if (left <= 0) {
        awaitBudget()
        break
      }
      left -= readBytes
      body.waits = false
      body.resume()
    }
  }

  return {
    open: (resume) => {
      const body = { resume, waits: false }
      opened.add(body)
      return {
        took: (bytes) => {
          fill()
          budget -= bytes
          if (budget > 0) return true
          body.waits = true
          awaitBudget()
          return false
        },
        leave: () => opened.delete(body),
      }
    },
  }
}
