import type { Logger } from 'pino'
import type { Verdict } from '../../../protocol/verdict.ts'

/** An attempt whose result is on disk. `detail`: the type's own part of it; null where nothing was observed. */
export type FinishedRun = {
  id: string
  accountId: string
  checkId: string
  checkType: string
  /** The location's name. */
  location: string
  /** False: a retry follows. */
  isFinal: boolean
  /** An agent made it by itself in an outage: it may be of hours ago. */
  arrivedLate?: boolean
  verdict: Verdict
  dueAt: number
  startedAt: number
  stoppedAt: number
  /** By the names that its type gives them. */
  metrics: Readonly<Record<string, number>>
  detail: unknown
}

/**
 * Tells listeners in this process of results after their commit. Nothing is stored: whoever needs every result, also after a
 * crash, belongs in `consequences` instead.
 */
export type FinishedRuns = {
  publish(runs: readonly FinishedRun[]): void
  listen(hear: (runs: readonly FinishedRun[]) => void): void
}

export const createFinishedRuns = (log: Pick<Logger, 'error'>): FinishedRuns => {
  const listeners: Array<(runs: readonly FinishedRun[]) => void> = []
  return {
    publish: (runs) => {
      if (runs.length === 0) return
      for (const hear of listeners)
        try {
          hear(runs)
        } catch (error) {
          // The results are stored, whatever a listener makes of them.
          log.error({ err: error }, 'Finished runs could not be counted')
        }
    },
    listen: (hear) => {
      listeners.push(hear)
    },
  }
}

/** Tells of results after their commit. */
export type HasFinishedRuns = { finishedRuns: FinishedRuns }
