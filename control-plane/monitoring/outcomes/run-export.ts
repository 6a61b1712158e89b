/**
 * How final results go to the operator's own telemetry backend. Results come after their commit; `take`
 * never throws and never waits.
 */
import type { FinalResult } from './consequences.ts'

export type RunExport = {
  take(results: readonly FinalResult[]): void
  /** Sends what is left, until `end` at most. */
  close(end: Promise<unknown>): Promise<void>
}

/** Where the operator has named no backend. */
export const noRunExport: RunExport = { take: () => undefined, close: async () => undefined }

/** Final results on their way to the operator's telemetry backend, where there is one. */
export type HasRunExport = { runExport: RunExport }
