import { toIso } from '../../platform/words/shapes/instants.ts'
import { detailProperties } from './own-detail.ts'
import { type ResultDoc, resultDoc } from './result-doc.ts'
import type { CheckResult } from './schema.ts'
import type { ResultWithDoc } from './stored/result.ts'

/** A result has the detail of its check's type, until the time of details is over, and null for those of all others. */
const detailsOf = (doc: ResultDoc): Pick<CheckResult, string> =>
  Object.fromEntries(
    detailProperties.map((property) => [property, doc.shortened ? null : (doc[property] ?? null)]),
  )

/** A stored result as the API shows it: columns and, from the doc, the detail of the check's type. */
export const serializeResult = (row: ResultWithDoc): CheckResult => {
  const doc = resultDoc.read(row.doc)
  return {
    id: row.id,
    name: doc.name,
    checkId: row.check_id,
    checkType: row.check_type as CheckResult['checkType'],
    resultType: row.result_type as CheckResult['resultType'],
    hasFailures: row.has_failures,
    hasErrors: row.has_errors,
    isDegraded: row.is_degraded,
    isCancelled: row.is_cancelled,
    overMaxResponseTime: row.over_max,
    runLocation: row.location,
    startedAt: toIso(row.started_at),
    stoppedAt: toIso(row.stopped_at),
    created_at: toIso(row.created_at),
    responseTime: row.response_time,
    ...detailsOf(doc),
    checkRunId: row.check_run_id,
    attempts: row.attempts,
    sequenceId: row.sequence_id,
    traceId: doc.traceId ?? null,
    arrivedLate: doc.arrivedLate ?? false,
    replacedMissedRun: doc.replacedMissedRun ?? false,
    checkVersion: doc.checkVersion ?? null,
    error: doc.error,
    errorGroupIds: doc.errorGroupIds,
  }
}
