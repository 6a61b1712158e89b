/** Whether a group is failing as a whole, as its page and the list of groups say it. */
import type { CheckGroup } from '../../monitoring/definitions/check-groups/schema.ts'
import { type CheckGroupHealth, readGroupHealth } from '../../monitoring/watches/group-health/routes.ts'
import { type Content, html } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'
import { agoOf, card, stateMark } from './parts.ts'
import type { RequestContext } from './request-context.ts'

export const healthMark = (health: CheckGroupHealth | undefined): Content =>
  health === undefined || health.state === null ? '–' : stateMark(health.state)

const tellers = {
  CHECKS: say('Its checks tell of their failures by themselves; the group tells nobody.'),
  GROUP: say('The group tells of failures; its checks do not tell by themselves.'),
  BOTH: say('The group tells of failures, and so do its checks.'),
} as const

export const groupHealthCard = async (
  { id, groupHealth }: CheckGroup,
  { app, principal, now }: RequestContext,
): Promise<Content> => {
  if (groupHealth === null) return null
  const health = (await readGroupHealth(app.db, principal.accountId, [id])).get(id)
  if (health === undefined || health.since === null) return null
  const { since, failing, counted } = health
  return card(
    'As a whole',
    html`<p id="group-health">${healthMark(health)} ${agoOf(since, now)} · ${
      counted === 0
        ? say('None of its checks counts now: they are silenced, or have not been run yet.')
        : say('Of the checks that count, {0} of {1} fail.', failing, counted)
    }</p><p class="quiet">${tellers[groupHealth.tells]}</p>`,
  )
}
