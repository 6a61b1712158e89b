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
  isByFigure,
  isFiltered,
  perPage,
  type Sort,
  searchIn,
  searchOf,
  sortOf,
  sortText,
} from './check-filter.ts'
import { checkRow } from './check-row.ts'
import { mostByFigure, type RowsOfPage, readPage } from './check-rows.ts'
import { choicesFor } from './forms/choices.ts'
import type { Option } from './forms/fields.ts'
import { dashboardPage } from './frame.ts'
import { card, linkButton } from './parts.ts'
import { type RequestContext, textOf } from './request-context.ts'

export const checksPage = async (context: RequestContext): Promise<Reply<string>> => {
  const filter = filterOf(context)
  const asked = sortOf(context)
  const total = isByFigure(asked.by) || isFiltered(context) ? await countChecks(context.app.db, filter) : null
  const isTooMany = isByFigure(asked.by) && (total ?? 0) > mostByFigure
  const sort: Sort = isTooMany ? { by: 'state', isReversed: false } : asked
  const after = cursorIn(textOf(context, 'after'), sort.by)
  const page = await readPage(context, filter, { sort, after })
  const counts = await readCounts(context)
  const choices = await choicesFor(context, [{ properties: { groupId: {} } }])
  const groups = choices.get('groupId') ?? []
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
      html`<div class="bar-of-list">${stateFilters(counts, {
        current: textOf(context, 'state'),
        link: (state) => `/app/checks?${searchOf(context, { state })}`,
      })}${filterForm(context, groups)}</div>`,
      isTooMany
        ? html`<p class="quiet intro">Up to ${number(mostByFigure)} checks can be sorted by what was measured: filter them first.</p>`
        : null,
      await listCard(context, { page, sort, groups, total: total ?? counts.total }),
      pager(context, page.next === undefined ? undefined : cursorText(page.next)),
    ],
  })
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
  const kept = ['search', 'state', 'sort'].filter((name) => textOf(context, name) !== '')
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
      : select(
          'group',
          'Group',
          textOf(context, 'group'),
          groups.map(({ value, label }) => [String(value), label]),
        )
  }${select('told', 'Who is told', textOf(context, 'told'), [['nobody', say('nobody')]])}<label><span class="hide">Tag</span><input name="tag" value="${textOf(context, 'tag')}" placeholder="Tag" autocomplete="off" size="10"></label><button class="second">Filter</button>${isFiltered(context) ? html`<a href="/app/checks">Show all</a>` : null}</form>`
}

type Listed = { page: RowsOfPage; sort: Sort; groups: readonly Option[]; total: number }

const listCard = async (context: RequestContext, { page, sort, groups, total }: Listed): Promise<Html> => {
  if (page.rows.length === 0)
    return card(
      '',
      html`<p class="empty">${total === 0 && !isFiltered(context) ? html`There are none yet.` : html`No check is like this. <a href="/app/checks">Show all</a>`}</p>`,
      'list',
    )
  const mayRun = context.can('READ_RUN')
  const names = new Map(groups.map(({ value, label }) => [Number(value), label]))
  const list = html`<div class="scroll" tabindex="0" role="region" aria-label="Checks"><table class="list cards checks"><thead><tr>${mayRun ? html`<th class="tick" scope="col"><span class="hide">Chosen</span><span hidden><input type="checkbox" data-all="checkIds[]" aria-label="Choose all on this page"></span></th>` : null}${columns.map(
    (column) => heading(context, column, sort),
  )}</tr></thead><tbody>${page.rows.map((row) =>
    checkRow(row, { page, now: context.now, mayRun, groups: names }),
  )}</tbody></table></div>`
  if (!mayRun) return card('', list, 'list')
  return html`<form method="post" action="/app/checks/bulk?${searchOf(context)}">${card('', list, 'list')}${await bulkBar(context, { groups, total })}</form>`
}

type ListColumn = { by?: Sort['by']; label: string; kind?: string }
const columns: readonly ListColumn[] = [
  { by: 'state', label: 'State' },
  { by: 'name', label: 'Check' },
  { label: 'Latest 30 runs' },
  { by: 'uptime', label: '30 days', kind: 'num' },
  { by: 'p95', label: 'p95', kind: 'num' },
  { by: 'lastRun', label: 'Last run', kind: 'num' },
]

/** Choosing the same column again turns it around. */
const heading = (context: RequestContext, { by, label, kind }: ListColumn, sort: Sort): Html => {
  const of = kind === undefined ? null : html` class="${kind}"`
  if (by === undefined) return html`<th scope="col"${of}>${say(label)}</th>`
  const isCurrent = sort.by === by
  const next = sortText({ by, isReversed: isCurrent && !sort.isReversed })
  return html`<th scope="col"${of}${isCurrent ? html` aria-sort="${sort.isReversed ? 'descending' : 'ascending'}"` : null}><a href="/app/checks?${searchOf(context, { sort: next })}">${say(label)}${isCurrent ? html`<span aria-hidden="true"> ${sort.isReversed ? '▲' : '▼'}</span>` : null}</a></th>`
}
