/** What retention costs when a tenth of a year is over at once. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../../control-plane/platform/store/database/db.ts'
import { change } from '../../control-plane/platform/store/database/raw-sql.ts'
import type { ControlPlaneProgram } from '../../test/support/programs.ts'
import { cpuSeconds } from '../support/cpu-time.ts'
import { readOwnMetrics, type Stalls, stallsBetween, sumOf } from '../support/own-metrics.ts'

const longestMs = 30 * 60_000
const completedAt = 'watchpost_retention_last_success_timestamp_seconds'
const resultRows = 'watchpost_retention_rows_total{kind="results"'

/** Retention of a control plane that starts now has a turn to do. */
export const makeTurnDue = (db: Database): Promise<number> =>
  change(db, sql`update retention_turns set due_at = 0`)

export type Deletion = Stalls & { rows: number; perSecond: number; cpuUs: number; seconds: number }

/** Of a control plane that has just started. */
export const watchDeletion = async ({ pid, url }: ControlPlaneProgram): Promise<Deletion> => {
  const startedAt = performance.now()
  const before = await readOwnMetrics(url)
  const cpuBefore = cpuSeconds(pid)
  let now = before
  while ((now.get(completedAt) ?? 0) === 0) {
    if (performance.now() - startedAt > longestMs) throw new Error('retention did not get through')
    await sleep(500)
    now = await readOwnMetrics(url)
  }
  const seconds = (performance.now() - startedAt) / 1000
  const rows = sumOf(now, resultRows)
  const cpuUs = ((cpuSeconds(pid) - cpuBefore) * 1e6) / Math.max(1, rows)
  return { rows, seconds, perSecond: rows / seconds, cpuUs, ...stallsBetween(before, now) }
}
