/**
 * Large downloads share one budget of bytes, so that many of them at once leave this process time for the other checks.
 * The first megabyte of each body is free. The oldest download gets what it wants before the next one. A slow one takes no
 * more of the budget than it brings.
 */
import type { TimerClock } from '../../../protocol/clock.ts'

/** How much of each body the throttle does not count. */
export const freeBytes = 1024 * 1024

/** More than the network of most machines brings, and about a third of one core. */
const bytesPerMs = 300 * 1024
const burstBytes = 1024 * 1024
/** What one read brings at most. */
const readBytes = 64 * 1024

/** One body that is larger than `freeBytes`. */
export type ThrottledDownload = {
  /** So many bytes have come. False: no more until `resume` is called. */
  took(bytes: number): boolean
  /** It wants no more. */
  leave(): void
}

/** `resume` is called when a body that had to wait may go on. */
export type DownloadThrottle = { open(resume: () => void): ThrottledDownload }

export const createDownloadThrottle = (clock: Pick<TimerClock, 'at' | 'monotonic'>): DownloadThrottle => {
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
    clock.at(Math.max(1, Math.ceil((readBytes - budget) / bytesPerMs)), resumeWaiting)
  }

  const resumeWaiting = (): void => {
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
