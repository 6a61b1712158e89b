import { counter } from '../../platform/app/metrics.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { rowStatement, runForRows } from '../../platform/store/database/row-statement.ts'
import type { MissedRunsTable } from '../../platform/store/database/tables/runs.ts'

/** Why a due time could not be run (product decisions: "Missed runs"). */
export const missedRunReasons = ['NO_AGENT', 'EXPIRED', 'OVERLAP', 'CONTROL_PLANE_DOWN'] as const
export type MissedRunReason = (typeof missedRunReasons)[number]

/** What is due while the run before still executes is not run. */
export const overlap = { reason: 'OVERLAP', detail: 'The previous run was still executing.' } as const

export const scheduleMetrics = {
  missedRuns: counter({
    name: 'watchpost_missed_runs_total',
    help: 'Due times that could not be run, by the reason that was known when they were given up',
    labels: ['reason'],
    zeros: missedRunReasons.map((reason) => ({ reason })),
  }),
}

/** `count` due times `stepMs` apart; `detail` is one sentence for people. */
export type MissedRun = {
  id: string
  accountId: string
  checkId: string
  location: { name: string }
  reason: MissedRunReason
  detail: string
  firstDueAt: number
  lastDueAt: number
  stepMs: number
  count: number
  /** Of a job that an agent had: its document, should a report of it come after all. */
  job?: string | null
  now: number
}

export const recordMissedRanges = (trx: Db, missed: readonly MissedRun[]): Promise<void> =>
  runForRows(
    trx,
    missedRunRows,
    missed.map((range) => ({ job: null, ...range, location: range.location.name })),
  )

type RowValues = Omit<MissedRun, 'location' | 'job'> & { location: string; job: string | null }

/** Missed or awaited. */
export const missedRunRow = (p: RowValues): MissedRunsTable => ({
  id: p.id,
  account_id: p.accountId,
  check_id: p.checkId,
  location: p.location,
  reason: p.reason,
  detail: p.detail,
  first_due_at: p.firstDueAt,
  last_due_at: p.lastDueAt,
  period_ms: p.stepMs,
  count: p.count,
  created_at: p.now,
  job: p.job,
})

export const missedRunRows = rowStatement({
  name: 'insert-missed-run',
  table: 'missed_runs',
  valuesOf: missedRunRow,
})
