import type { RootCauseAnalysesTable } from '../../platform/store/database/tables/analysis.ts'
import { toIso } from '../../platform/words/shapes/instants.ts'
import { analysisDoc } from './analysis-doc.ts'
import type { AnalysisOfGroup, RootCauseAnalysis } from './schema.ts'

/** A completed analysis as the API shows it. */
export const serializeAnalysis = (row: RootCauseAnalysesTable): RootCauseAnalysis => ({
  ...finishedOf(row),
  id: row.id,
  status: 'COMPLETED',
  checkType: row.check_type as RootCauseAnalysis['checkType'],
  checkId: row.check_id,
  errorGroupId: row.error_group_id,
  created_at: toIso(row.created_at),
})

/** The same inside its error group. */
export const serializeAnalysisOfGroup = (row: RootCauseAnalysesTable): AnalysisOfGroup => ({
  ...finishedOf(row),
  id: row.id,
  userContext: row.user_context,
  created_at: toIso(row.created_at),
})

const finishedOf = ({ doc }: RootCauseAnalysesTable) => {
  const { resultId: _result, told: _told, ...finished } = analysisDoc.read(doc)
  return finished
}
