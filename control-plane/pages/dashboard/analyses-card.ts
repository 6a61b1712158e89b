/** What was found out about an error, the newest first, in the reader's language where it is of our rules. */
import { causeInWords, classificationInWords } from '../../insight/result-pages/cause-in-words.ts'
import { analysisDoc } from '../../insight/root-cause-analyses/analysis-doc.ts'
import { completedAnalyses } from '../../insight/root-cause-analyses/queries.ts'
import { type Html, html } from '../../platform/web/html/html.ts'
import { factList } from '../../platform/web/html/section.ts'
import { card, when } from './parts.ts'
import type { RequestContext } from './request-context.ts'

const mostShown = 20

export const analysesCard = async (context: RequestContext, groupId: string): Promise<Html | null> => {
  const { accountId } = context.principal
  const rows = await context.app.db.all(completedAnalyses, { accountId, groupIds: [groupId] })
  if (rows.length === 0) return null
  return card(
    'Analyses',
    html`<ul class="plain">${rows.slice(0, mostShown).map(({ doc, completed_at }) => {
      const made = analysisDoc.read(doc)
      const words = causeInWords(made)
      return html`<li>${factList([
        ['When', when(completed_at, context.now)],
        ['Kind', classificationInWords(made.analysis.classification)],
        ['Probable cause', words.rootCause, 'wide'],
        ['What to look at first', words.codeFix, 'wide'],
        ['What users notice', words.userImpact, 'wide'],
      ])}</li>`
    })}</ul>`,
    'analyses',
  )
}
