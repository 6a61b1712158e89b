/** The page of a group: how its checks are, the worst of them, and what they share. */

import { readCheckGroup } from '../../monitoring/definitions/check-groups/routes.ts'
import type { CheckGroup } from '../../monitoring/definitions/check-groups/schema.ts'
import { type Content, html } from '../../platform/web/html/html.ts'
import { count } from '../../platform/web/html/say.ts'
import { bulkBar } from './bulk-bar.ts'
import { readPage } from './check-rows.ts'
import { checkTable } from './check-table.ts'
import { detailPage, pick } from './detail.ts'
import { choicesFor } from './forms/choices.ts'
import { groupHealthCard } from './group-health-card.ts'
import { readGroupSums, sumsInWords, worstState } from './group-sums.ts'
import { card, stateMark } from './parts.ts'
import type { RequestContext } from './request-context.ts'

const shown = 50

export const groupPage = detailPage({
  path: '/app/groups/:id',
  section: ['/app/groups', 'Groups'],
  route: readCheckGroup,
  isLive: true,
  title: ({ name }) => name,
  facts: pick([
    ...(['activated', 'muted', 'tags', 'locations', 'privateLocations', 'concurrency'] as const),
    ...(['runtimeId', 'useGlobalAlertSettings', 'runParallel'] as const),
  ]),
  actions: [
    ['Edit', 'PATCH /v2/check-groups/:id'],
    ['Delete', 'DELETE /v1/check-groups/:id'],
  ],
  first: async (item, context) =>
    html`${await groupHealthCard(item, context)}${await checksOfGroup(item, context)}`,
})

const checksOfGroup = async ({ id }: CheckGroup, context: RequestContext): Promise<Content> => {
  const filter = { accountId: context.principal.accountId, groupId: id }
  const [sum] = await readGroupSums(context, filter)
  const all = `/app/checks?group=${id}`
  if (sum === undefined) return card('Checks', html`<p class="empty">No check is in this group.</p>`, 'list')
  const sort = { by: 'state', isReversed: false } as const
  const page = await readPage(context, filter, { sort, after: undefined, limit: shown })
  const list = card(
    '',
    html`<p class="group-sum">${stateMark(worstState(sum))} ${sumsInWords(sum, (state) => `${all}&state=${state}`)} · <a href="${all}">In the list, with its filters</a></p>${checkTable(context, { page })}${
      page.next === undefined
        ? null
        : html`<p><a class="button second" href="${all}">${count(sum.total, { one: 'The # check', other: 'All # checks' })}</a></p>`
    }`,
    'list',
  )
  if (!context.can('READ_RUN')) return list
  const groups = (await choicesFor(context, [{ properties: { groupId: {} } }])).get('groupId') ?? []
  return html`<form method="post" action="/app/checks/bulk?group=${id}">${list}${await bulkBar(context, { groups, total: sum.total })}</form>`
}
