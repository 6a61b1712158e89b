/**
 * The list of checks by group: a line for each group with its sums, and the checks of those that are open. Which are open is in the
 * address, so that it works without scripts; what is folded is counted and not read.
 */
import type { CheckFilter } from '../../monitoring/definitions/checks/filtered-checks.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { count, say } from '../../platform/web/html/say.ts'
import { searchOf } from './check-filter.ts'
import { checkRow } from './check-row.ts'
import { type RowsOfPage, readPage } from './check-rows.ts'
import { type GroupSum, readGroupSums, sumsInWords, worstState } from './group-sums.ts'
import { stateMark } from './parts.ts'
import { type RequestContext, textOf } from './request-context.ts'

/** With more the page would be too large: the one that was opened first is folded. */
const mostOpen = 4
const shownOfGroup = 12
const groupsPerPage = 100

type GroupTree = { list: Html; pager: Html | null; total: number }

export const groupTree = async (context: RequestContext, filter: CheckFilter): Promise<GroupTree> => {
  const sums = await readGroupSums(context, filter)
  const from = fromOf(context)
  const shown = sums.slice(from, from + groupsPerPage)
  const open = openIn(context)
  const bodies: Html[] = []
  for (const sum of shown) bodies.push(await groupBody(context, { sum, filter, open }))
  const tick = context.can('READ_RUN')
    ? html`<th class="tick" scope="col"><span class="hide">Chosen</span><span hidden><input type="checkbox" data-all="checkIds[]" aria-label="Choose all on this page"></span></th>`
    : null
  return {
    total: sums.reduce((all, { total }) => all + total, 0),
    list: html`<div class="scroll" tabindex="0" role="region" aria-label="Checks by group"><table class="list cards checks tree"><thead><tr>${tick}<th scope="col">State</th><th scope="col">Check</th><th scope="col">Latest 30 runs</th><th scope="col" class="num">30 days</th><th scope="col" class="num">p95</th><th scope="col" class="num">Last run</th></tr></thead>${bodies}</table></div>`,
    pager: pager(context, from, sums.length),
  }
}

const fromOf = (context: RequestContext): number => {
  const text = textOf(context, 'from')
  return /^\d{1,6}$/.test(text) ? Number(text) : 0
}

const keyOf = ({ id }: GroupSum): string => (id === null ? 'none' : String(id))

const openIn = (context: RequestContext): string[] =>
  textOf(context, 'open')
    .split('.')
    .filter((key) => /^(\d{1,9}|none)$/.test(key))
    .slice(-mostOpen)

type Shown = { sum: GroupSum; filter: CheckFilter; open: readonly string[] }

const groupBody = async (context: RequestContext, { sum, filter, open }: Shown): Promise<Html> => {
  const key = keyOf(sum)
  const isOpen = open.includes(key)
  const next = isOpen ? open.filter((each) => each !== key) : [...open, key].slice(-mostOpen)
  const fold = `/app/checks?${searchOf(context, { open: next.join('.'), from: textOf(context, 'from') })}#group-${key}`
  const name = sum.id === null ? say('In no group') : sum.name
  const own = sum.id === null ? null : html` <a class="own" href="/app/groups/${key}">Its page</a>`
  return html`<tbody id="group-${key}"><tr class="of-group">${context.can('READ_RUN') ? html`<td class="tick"></td>` : null}<td class="mark">${stateMark(worstState(sum))}</td><td class="main" colspan="5"><a class="fold" href="${fold}" aria-expanded="${String(isOpen)}" dir="auto">${name}</a> ${sumsInWords(
    sum,
    (state) => listOf(context, key, state),
  )}${own}</td></tr>${isOpen ? await rowsOf(context, { sum, filter }) : null}</tbody>`
}

const listOf = (context: RequestContext, group: string, state = textOf(context, 'state')): string =>
  `/app/checks?${searchOf(context, { group, state, view: '' })}`

const rowsOf = async (context: RequestContext, { sum, filter }: Omit<Shown, 'open'>): Promise<Content> => {
  const page: RowsOfPage = await readPage(
    context,
    { ...filter, groupId: sum.id },
    { sort: { by: 'state', isReversed: false }, after: undefined, limit: shownOfGroup },
  )
  const around = {
    page,
    now: context.now,
    mayRun: context.can('READ_RUN'),
    groups: new Map<number, string>(),
  }
  return [
    page.rows.map((row) => checkRow(row, around)),
    page.next === undefined
      ? null
      : html`<tr><td class="main" colspan="7"><a href="${listOf(context, keyOf(sum))}">${count(sum.total, { one: 'The # check', other: 'All # checks' })}</a></td></tr>`,
  ]
}

const pager = (context: RequestContext, from: number, total: number): Html | null => {
  if (total <= groupsPerPage) return null
  const to = (start: number): string => `/app/checks?${searchOf(context, { from: String(start) })}`
  return html`<nav class="pager" aria-label="Pages of the list">${from === 0 ? null : html`<a class="button second" href="${to(0)}">From the first</a>`}${
    from + groupsPerPage >= total
      ? null
      : html`<a class="button second" rel="next" href="${to(from + groupsPerPage)}">The next groups</a>`
  }</nav>`
}
