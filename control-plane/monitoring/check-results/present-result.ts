import type { ResultsTable } from '../../platform/database/tables/runs.ts'
import { toIso } from '../../platform/shapes/instant.ts'
import { type ResultDoc, resultDoc } from './result-doc.ts'
import type { CheckResult } from './schema.ts'

/** The parts of a result that belong to check types: each result has that of its check's type, and null for the others. */
const partNames = ['apiCheckResult', 'tcpCheckResult', 'dnsCheckResult', 'icmpCheckResult'] as const

type Parts = Pick<CheckResult, (typeof partNames)[number]>

const partsOf = (doc: ResultDoc): Parts =>
  Object.fromEntries(partNames.map((name) => [name, doc[name] ?? null])) as Parts

/** A stored result as the API shows it: columns and, from the doc, the part of the check's type. */
export const presentResult = (row: ResultsTable): CheckResult => {
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
    ...partsOf(doc),
    browserCheckResult: null,
    multiStepCheckResult: null,
    agenticCheckResult: null,
    checkRunId: row.check_run_id,
    attempts: row.attempts,
    sequenceId: row.sequence_id,
    error: doc.error,
    errorGroupIds: doc.errorGroupIds,
  }
}
