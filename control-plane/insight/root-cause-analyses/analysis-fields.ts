import { linkOfEvent } from '../../alerting/messages/result-link.ts'
import type { AlertedError } from '../../alerting/templates/asked-of-others.ts'
import { errorGroupIdOf } from '../../monitoring/runs/error-group-id.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import { analysisDoc } from './analysis-doc.ts'
import { completedAnalyses } from './queries.ts'

/** `AI_ANALYSIS_…` of templates: the newest analysis of the event's error; nothing when none is done. */
export const analysisFields = async (
  app: App & HasCipher,
  event: AlertedError,
): Promise<Record<string, string>> => {
  const { accountId, checkId, errorMessage } = event
  if (errorMessage === null) return {}
  const errorGroupId = errorGroupIdOf(checkId, errorMessage)
  const groupIds = [errorGroupId]
  const [newest] = await app.db.all(completedAnalyses, { accountId, groupIds })
  if (!newest) return {}
  const { analysis } = analysisDoc.read(newest.doc)
  return {
    AI_ANALYSIS_CLASSIFICATION: analysis.classification,
    AI_ANALYSIS_ROOT_CAUSE: analysis.rootCause,
    AI_ANALYSIS_USER_IMPACT: analysis.userImpact,
    AI_ANALYSIS_CODE_FIX: analysis.codeFix ?? '',
    AI_ANALYSIS_LINK: `${linkOfEvent(app, event)}#cause`,
  }
}
