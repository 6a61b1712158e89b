import { linkOfEvent } from '../../alerting/messages/result-link.ts'
import type { AlertAnalysis, AlertedError } from '../../alerting/templates/asked-of-others.ts'
import { findCheck } from '../../monitoring/definitions/checks/queries.ts'
import { findResult } from '../../monitoring/results/queries.ts'
import { errorGroupIdOf } from '../../monitoring/runs/error-group-id.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import { type AnalysisDoc, analysisDoc } from './analysis-doc.ts'
import { isUnknown, quickAnalysis } from './builtin.ts'
import { factsOfResult } from './facts-of-result.ts'
import { completedAnalyses } from './queries.ts'

/**
 * What messages say of the cause, and what templates name of it: an analysis that was made since the check fails; else what the
 * rules find in the very run that is told of, at once; else the newest analysis of the same error. Nothing where none of them knows.
 */
export const alertAnalysis = async (app: App & HasCipher, event: AlertedError): Promise<AlertAnalysis> => {
  const { accountId, checkId, errorMessage } = event
  if (errorMessage === null) return nothing
  const groupIds = [errorGroupIdOf(checkId, errorMessage)]
  const rows = await app.db.all(completedAnalyses, { accountId, groupIds })
  const made = rows
    .map(({ completed_at, doc }) => ({ completedAt: completed_at ?? 0, ...analysisDoc.read(doc) }))
    .filter(({ analysis }) => !isUnknown(analysis))
  const ofThisFailure = made.find(
    ({ completedAt, resultId }) => completedAt >= event.failingSince || resultId === event.checkResultId,
  )
  const found = ofThisFailure ?? (await analysisOfRun(app, event)) ?? made[0]
  if (found === undefined) return nothing
  const { analysis, told } = found
  const fields = {
    AI_ANALYSIS_CLASSIFICATION: analysis.classification,
    AI_ANALYSIS_ROOT_CAUSE: analysis.rootCause,
    AI_ANALYSIS_USER_IMPACT: analysis.userImpact,
    AI_ANALYSIS_CODE_FIX: analysis.codeFix ?? '',
    AI_ANALYSIS_LINK: `${linkOfEvent(app, event)}#cause`,
  }
  return { fields, told }
}

const nothing: AlertAnalysis = { fields: {}, told: null }

/** Null where no rule fits, and for alerts that tell of no single run. */
const analysisOfRun = async (
  app: App,
  { accountId, checkId, checkResultId: id }: AlertedError,
): Promise<Pick<AnalysisDoc, 'analysis' | 'told'> | null> => {
  if (id === null) return null
  const check = await app.db.get(findCheck, { id: checkId, accountId })
  const result = await findResult(app.db, { id, checkId, accountId })
  if (check === undefined || result === undefined) return null
  const found = quickAnalysis(await factsOfResult(app, result, check))
  return isUnknown(found.analysis) ? null : found
}
