import { findCheck } from '../../monitoring/definitions/checks/queries.ts'
import { findResult } from '../../monitoring/results/queries.ts'
import { serializeResult } from '../../monitoring/results/serialize-result.ts'
import type { ResultWithDoc } from '../../monitoring/results/stored/result.ts'
import type { App } from '../../platform/app/app.ts'
import { type AnalysisDoc, analysisDoc } from '../root-cause-analyses/analysis-doc.ts'
import { analyseByRules, builtinModel, builtinProvider, isUnknown } from '../root-cause-analyses/builtin.ts'
import { factsOfResult } from '../root-cause-analyses/facts-of-result.ts'
import type { CheckColumns } from '../root-cause-analyses/gather-facts.ts'
import { completedAnalyses } from '../root-cause-analyses/queries.ts'

/** Why this result failed, and who says so since when. */
export type Cause = Pick<AnalysisDoc, 'analysis' | 'told' | 'provider' | 'model'> & { foundAt: number }

/**
 * Made from this failure's own facts: the analysis of its error if it was this result that was analysed, or else the rules over
 * what it saw. Null where these do not tell, and for results that did not fail: another failure's cause may be another.
 */
export const causeOf = async (
  app: App,
  row: ResultWithDoc,
  { check, errorGroupIds: groupIds }: { check: CheckColumns; errorGroupIds: string[] },
): Promise<Cause | null> => {
  if (groupIds.length === 0) return null
  const analyses = await app.db.all(completedAnalyses, { accountId: row.account_id, groupIds })
  for (const { doc, completed_at } of analyses) {
    const { resultId, ...found } = analysisDoc.read(doc)
    if (resultId === row.id && !isUnknown(found.analysis))
      return { ...found, foundAt: completed_at ?? row.started_at }
  }
  const made = analyseByRules(await factsOfResult(app, row, check))
  return isUnknown(made.analysis)
    ? null
    : { ...made, provider: builtinProvider, model: builtinModel, foundAt: row.started_at }
}

/** Undefined: there is no such result, or no such check any more. */
export const causeOfResult = async (
  app: App,
  { id, checkId, accountId }: { id: string; checkId: string; accountId: string },
): Promise<Cause | null | undefined> => {
  const result = await findResult(app.db, { id, checkId, accountId })
  const check = await app.db.get(findCheck, { id: checkId, accountId })
  if (!result || !check) return undefined
  return causeOf(app, result, { check, errorGroupIds: serializeResult(result).errorGroupIds })
}
