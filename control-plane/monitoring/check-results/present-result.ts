import type { ResultsTable } from '../../platform/database/tables/runs.ts'
import { toIso } from '../../platform/shapes/instant.ts'
import { detailProperties } from './own-detail.ts'
import type { CheckResult } from './schema.ts'

type Doc = { name: string } & Partial<Pick<CheckResult, 'error' | 'errorGroupIds'>> & {
    [property: string]: unknown
  }

/** A result has the detail of its check's type, and null for those of all others. */
const detailsOf = (doc: Doc): Pick<CheckResult, string> =>
  Object.fromEntries(detailProperties.map((property) => [property, doc[property] ?? null]))

/** A stored result as the API shows it: columns and, from the doc, the detail of the check's type. */
export const presentResult = (row: ResultsTable): CheckResult => {
  const doc = JSON.parse(row.doc) as Doc
  return {
    id: row.id,
    name: doc.name,
    checkId: row.check_id,
    checkType: row.check_type as CheckResult['checkType'],
    resultType: row.result_type as CheckResult['resultType'],
    hasFailures: row.has_failures === 1,
    hasErrors: row.has_errors === 1,
    isDegraded: row.is_degraded === 1,
    isCancelled: row.is_cancelled === 1,
    overMaxResponseTime: row.over_max === 1,
    runLocation: row.location,
    startedAt: toIso(row.started_at),
    stoppedAt: toIso(row.stopped_at),
    created_at: toIso(row.created_at),
    responseTime: row.response_time,
    ...detailsOf(doc),
    checkRunId: row.check_run_id,
    attempts: row.attempts,
    sequenceId: row.sequence_id,
    error: doc.error ?? null,
    errorGroupIds: doc.errorGroupIds ?? [],
  }
}
