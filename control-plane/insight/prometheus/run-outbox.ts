import type { RunObservation } from './run-observations.ts'

/** While the store cannot be written to, the oldest go. */
const maxWaiting = 20_000

/** Runs that other control planes over the same store are to count, until they are written down. */
export type RunOutbox = {
  /** Accounts that others follow. */
  setWanted(accountIds: Iterable<string>): void
  wants(accountId: string): boolean
  add(run: RunObservation): void
  take(limit: number): RunObservation[]
  putBack(runs: readonly RunObservation[]): void
}

export const createRunOutbox = (): RunOutbox => {
  let wanted: ReadonlySet<string> = new Set()
  let waiting: RunObservation[] = []
  return {
    setWanted: (accountIds) => {
      wanted = new Set(accountIds)
    },
    wants: (accountId) => wanted.has(accountId),
    add: (run) => {
      waiting.push(run)
      if (waiting.length > maxWaiting) waiting = waiting.slice(maxWaiting / 10)
    },
    take: (limit) => waiting.splice(0, limit),
    putBack: (runs) => {
      waiting = [...runs, ...waiting].slice(-maxWaiting)
    },
  }
}
