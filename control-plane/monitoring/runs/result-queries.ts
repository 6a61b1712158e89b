import type { Db } from '../../platform/database/db.ts'
import { query } from '../../platform/database/query.ts'
import { rowStatement, runForRows } from '../../platform/database/row-statement.ts'

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

const resultRows = rowStatement({
  name: 'insert-result',
  table: 'results',
  valuesOf: (p: NewResult) => ({
    id: p.id,
    account_id: p.accountId,
    check_id: p.checkId,
    check_type: p.checkType,
    result_type: p.resultType,
    location: p.location,
    due_at: p.dueAt,
    started_at: p.startedAt,
    stopped_at: p.stoppedAt,
    created_at: p.now,
    response_time: p.responseTime,
    has_failures: p.hasFailures,
    has_errors: p.hasErrors,
    is_degraded: p.isDegraded,
    is_cancelled: p.isCancelled,
    over_max: p.overMax,
    attempts: p.attempts,
    sequence_id: p.sequenceId,
    check_run_id: p.checkRunId,
    doc: p.doc,
  }),
})

/** The one door by which results are stored. */
export const insertResults = (trx: Db, rows: readonly NewResult[]): Promise<void> =>
  runForRows(trx, resultRows, rows)

export const insertResult = resultRows.one

/** Which of them are stored. */
export const findResultIds = query('find-result-ids', (k, p: { ids: readonly string[] }, engine) =>
  k.selectFrom('results').select('id').where('id', 'in', engine.textList(p.ids)),
)

type Sequence = { checkId: string; sequenceId: string; since: number }

/** The attempt that a run's sequence ended with so far; `since`: the start of its first. */
export const lastAttempt = query('last-attempt', (k, p: Sequence) =>
  k
    .selectFrom('results')
    .selectAll()
    .where('check_id', '=', p.checkId)
    .where('started_at', '>=', p.since)
    .where('sequence_id', '=', p.sequenceId)
    .where('result_type', '=', 'ATTEMPT')
    .orderBy('attempts', 'desc')
    .limit(1),
)

export const makeFinal = query('make-attempt-final', (k, p: { id: string; doc: string }) =>
  k.updateTable('results').set({ result_type: 'FINAL', doc: p.doc }).where('id', '=', p.id),
)
