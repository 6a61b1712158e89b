/** A run, as the page shows it that links in messages lead to. */

import { linkDays, resultLink } from '../../alerting/messages/result-link.ts'
import { readFacts } from '../../insight/result-pages/read-facts.ts'
import { resultSections } from '../../insight/result-pages/result-page.ts'
import { readCheckResult } from '../../monitoring/results/routes.ts'
import { html } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'
import type { Reply } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { openAlertCard } from './explanation-card.ts'
import { dashboardPage } from './frame.ts'
import { linkButton } from './parts.ts'
import type { RequestContext } from './request-context.ts'

export const runPage = async (context: RequestContext): Promise<Reply<string>> => {
  const { checkId = '', resultId = '' } = context.params
  // The API says whether it is theirs.
  const { body: result } = await context.call(readCheckResult, {
    params: { checkId, checkResultId: resultId },
  })
  const expiresAt = context.now + linkDays * 86_400_000
  const facts = await readFacts(context.app, { checkId, resultId, expiresAt })
  if (facts === undefined) throw notFound()
  const alert =
    facts.alerting === null
      ? null
      : openAlertCard(context, facts.alerting.explanation, {
          checkId,
          back: `/app/runs/${checkId}/${resultId}`,
        })
  const attempts = facts.attempts.map((attempt) => ({
    ...attempt,
    url: `/app/runs/${checkId}/${attempt.result.id}`,
  }))
  return dashboardPage(context, {
    title: say('Run of {0}', result.name),
    section: '/app/checks',
    trail: [
      ['/app/checks', say('Checks')],
      [`/app/checks/${checkId}`, result.name],
    ],
    actions: linkButton(resultLink(context.app, { checkId, resultId, expiresAt }), 'Page to pass on'),
    content: html`${alert}<div class="run">${resultSections({ ...facts, attempts })}</div>`,
  })
}
