/** The list of checks, each with its history: filtered and sorted by its address, a hundred at a time, changed many at once. */
import { checkTypes } from '../../../protocol/check-type.ts'
import { countChecks } from '../../monitoring/definitions/checks/list-queries.ts'
import { kindOf } from '../../monitoring/definitions/checks/types/index.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { number, say } from '../../platform/web/html/say.ts'
import type { Reply } from '../../platform/web/http/route.ts'
import { bulkBar } from './bulk-bar.ts'
import { readCounts, stateFilters } from './check-counts.ts'
import {
  cursorIn,
  cursorText,
  filterOf,
  isFiltered,
  perPage,
  type Sort,
  searchIn,
  searchOf,
  sortOf,
} from './check-filter.ts'
import { type RowsOfPage, readPage } from './check-rows.ts'
import { checkTable } from './check-table.ts'
import { choicesFor } from './forms/choices.ts'
import type { Option } from './forms/fields.ts'
import { dashboardPage } from './frame.ts'
import { groupTree } from './group-tree.ts'
import { card, linkButton } from './parts.ts'
import { type RequestContext, textOf } from './request-context.ts'

export const checksPage = async (context: RequestContext): Promise<Reply<string>> => {
  const counts = await readCounts(context)
  const groups = (await choicesFor(context, [{ properties: { groupId: {} } }])).get('groupId') ?? []
  return dashboardPage(context, {
    title: say('Checks'),
    section: '/app/checks',
    isLive: true,
    search: searchIn(context),
    actions: [
      ...(context.can('READ_WRITE') ? [linkButton('/app/checks/new', 'New check', 'main')] : []),
      html`<details class="menu"><summary>Export</summary><p>${(['csv', 'json', 'yaml'] as const).map((format) => html`<a href="/app/checks/export/${format}?${searchOf(context)}">${format.toUpperCase()}</a> `)}</p></details>`,
    ],
    content: [
      html`<div class="bar-of-list">${viewLinks(context)}${stateFilters(counts, {
        current: textOf(context, 'state'),
        link: (state) => `/app/checks?${searchOf(context, { state })}`,
      })}${filterForm(context, groups)}</div>`,
      isByGroup(context)
        ? await treeOf(context, groups)
        : await listOf(context, { groups, all: counts.total }),
    ],
  })
}

const isByGroup = (context: RequestContext): boolean => textOf(context, 'view') === 'groups'

const viewLinks = (context: RequestContext): Html =>
  html`<nav class="segments" aria-label="View">${views.map(
    ({ view, word }) =>
      html`<a href="/app/checks?${searchOf(context, { view })}"${(view === 'groups') === isByGroup(context) ? html` aria-current="true"` : null}>${say(word)}</a>`,
  )}</nav>`

const views = [
  { view: '', word: 'List' },
  { view: 'groups', word: 'By group' },
] as const

const treeOf = async (context: RequestContext, groups: readonly Option[]): Promise<Content> => {
  const { list, pager: more, total } = await groupTree(context, filterOf(context))
  if (total === 0) return nothingCard(context, total)
  return [await withBulkBar(context, list, { groups, total }), more]
}

const listOf = async (
  context: RequestContext,
  { groups, all }: { groups: readonly Option[]; all: number },
): Promise<Content> => {
  const filter = filterOf(context)
  const sort = sortOf(context)
  const after = cursorIn(textOf(context, 'after'), sort.by)
  const page = await readPage(context, filter, { sort, after })
  // A search looks at each check: not twice, where one page is all of them.
  const isWhole = after === undefined && page.next === undefined
  const total = !isFiltered(context)
    ? all
    : isWhole
      ? page.rows.length
      : await countChecks(context.app.db, filter)
  return [
    page.measured === undefined || page.measured.known >= page.measured.of
      ? null
      : html`<p class="quiet intro">What was measured is known of ${number(page.measured.known)} of ${number(page.measured.of)} checks so far; the others stand behind them. <a href="/app/checks?${searchOf(context)}">Measure more</a></p>`,
    await listCard(context, { page, sort, groups, total }),
    pager(context, page.next === undefined ? undefined : cursorText(page.next)),
  ]
}

const pager = (context: RequestContext, next: string | undefined): Html | null => {
  const isFirst = textOf(context, 'after') === ''
  if (isFirst && next === undefined) return null
  return html`<nav class="pager" aria-label="Pages of the list">${isFirst ? null : html`<a class="button second" href="/app/checks?${searchOf(context)}">From the first</a>`}${
    next === undefined
      ? null
      : html`<a class="button second" rel="next" href="/app/checks?${searchOf(context, { after: next })}">The next ${perPage}</a>`
  }</nav>`
}

type Choice = readonly [value: string, label: Content]

const select = (name: string, label: string, chosen: string, choices: readonly Choice[]): Html =>
  html`<label><span class="hide">${say(label)}</span><select name="${name}"><option value="">${say(label)}: any</option>${choices.map(
    ([value, word]) =>
      html`<option value="${value}"${value === chosen ? html` selected` : null}>${word}</option>`,
  )}</select></label>`

const filterForm = (context: RequestContext, groups: readonly Option[]): Html => {
  const kept = ['search', 'state', 'sort', 'view'].filter((name) => textOf(context, name) !== '')
  return html`<form class="filters" method="get" action="/app/checks">${kept.map(
    (name) => html`<input type="hidden" name="${name}" value="${textOf(context, name)}">`,
  )}${select(
    'type',
    'Type',
    textOf(context, 'type'),
    checkTypes.map((type) => [type, say(kindOf(type).label)]),
  )}${
    groups.length === 0
      ? null
      : select('group', 'Group', textOf(context, 'group'), [
          ['none', say('in none')],
          ...groups.map(({ value, label }) => [String(value), label] as const),
        ])
  }${select('told', 'Who is told', textOf(context, 'told'), [['nobody', say('nobody')]])}${select('flapping', 'Flapping', textOf(context, 'flapping'), [['yes', say('yes')]])}<label><span class="hide">Tag</span><input name="tag" value="${textOf(context, 'tag')}" placeholder="Tag" autocomplete="off" size="10"></label><button class="second">Filter</button>${isFiltered(context) ? html`<a href="/app/checks">Show all</a>` : null}</form>`
}

type Listed = { page: RowsOfPage; sort: Sort; groups: readonly Option[]; total: number }

const listCard = async (context: RequestContext, { page, sort, groups, total }: Listed): Promise<Html> => {
  if (page.rows.length === 0) return nothingCard(context, total)
  const names = new Map(groups.map(({ value, label }) => [Number(value), label]))
  return withBulkBar(context, checkTable(context, { page, sort, groups: names }), { groups, total })
}

const nothingCard = (context: RequestContext, total: number): Html =>
  card(
    '',
    html`<p class="empty">${total === 0 && !isFiltered(context) ? html`There are none yet.` : html`No check is like this. <a href="/app/checks">Show all</a>`}</p>`,
    'list',
  )

const withBulkBar = async (
  context: RequestContext,
  list: Content,
  { groups, total }: Pick<Listed, 'groups' | 'total'>,
): Promise<Html> => {
  if (!context.can('READ_RUN')) return card('', list, 'list')
  return html`<form method="post" action="/app/checks/bulk?${searchOf(context)}">${card('', list, 'list')}${await bulkBar(context, { groups, total })}</form>`
}
