import type { Db } from '../../platform/store/database/db.ts'
import { insertResults as storeResults } from '../results/stored/insert-results.ts'
import { someDocumented } from '../results/stored/list-results.ts'
import type { ResultWithDoc } from '../results/stored/result.ts'

export type NewResult = {
  id: string
  accountId: string
  checkId: string
  checkType: string
  resultType: string
  location: string
  dueAt: number
  startedAt: number
  stoppedAt: number
  now: number
  responseTime: number
  hasFailures: boolean
  hasErrors: boolean
  isDegraded: boolean
  isCancelled: boolean
  overMax: boolean
  attempts: number
  sequenceId: string
  checkRunId: number
  doc: string
}

const resultOf = (one: NewResult): ResultWithDoc => ({
  id: one.id,
  account_id: one.accountId,
  check_id: one.checkId,
  check_type: one.checkType,
  result_type: one.resultType,
  location: one.location,
  due_at: one.dueAt,
  started_at: one.startedAt,
  stopped_at: one.stoppedAt,
  created_at: one.now,
  response_time: one.responseTime,
  has_failures: one.hasFailures,
  has_errors: one.hasErrors,
  is_degraded: one.isDegraded,
  is_cancelled: one.isCancelled,
  over_max: one.overMax,
  attempts: one.attempts,
  sequence_id: one.sequenceId,
  check_run_id: one.checkRunId,
  doc: one.doc,
})

/** All results of a batch. */
export const insertResults = (trx: Db, results: readonly NewResult[]): Promise<void> =>
  storeResults(trx, results.map(resultOf))

type Sequence = { checkId: string; sequenceId: string; since: number }

/** The attempt that a run's sequence ended with so far; `since`: the start of its first. */
export const lastAttempt = async (
  trx: Db,
  { checkId, sequenceId, since }: Sequence,
): Promise<ResultWithDoc | undefined> => {
  const filter = { sequenceIds: [sequenceId], resultType: 'ATTEMPT' } as const
  const list = { checkId, direction: 'oldest-first', from: since, filter } as const
  const attempts = await someDocumented(trx, list, maxAttempts)
  return attempts.toSorted((a, b) => b.attempts - a.attempts)[0]
}

/** More than a run is tried. */
const maxAttempts = 100
