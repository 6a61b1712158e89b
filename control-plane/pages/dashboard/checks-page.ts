/** The list of checks: filtered by its address, a hundred at a time by keyset, changed many at once. */
import { type CheckType, checkTypes } from '../../../protocol/check-type.ts'
import { checkDoc } from '../../monitoring/definitions/checks/check-doc.ts'
import {
  type CheckFilter,
  checksAfter,
  type ListCursor,
  type ListedAfter,
} from '../../monitoring/definitions/checks/list-queries.ts'
import { kindOf } from '../../monitoring/definitions/checks/types/index.ts'
import { statusesOf } from '../../monitoring/watches/check-statuses/queries.ts'
import { type Html, html } from '../../platform/web/html/html.ts'
import { cut, withoutCredentials } from '../../platform/web/html/section.ts'
import type { Reply } from '../../platform/web/http/route.ts'
import { choicesFor } from './forms/choices.ts'
import type { Option } from './forms/fields.ts'
import { dashboardPage } from './frame.ts'
import { querystringOf } from './internal-client.ts'
import { agoOf, card, linkButton, type State, stateMark, stateOf, stateWord, tags } from './parts.ts'
import { type RequestContext, textOf } from './request-context.ts'

export const perPage = 100

export type Row = {
  id: string
  name: string
  type: CheckType
  state: State
  isMuted: boolean
  tags: readonly string[]
  groupId: number | null
  frequency: number | null
  target: string
  lastRunAt: number | null
  createdAt: number
}

const filterNames = ['search', 'type', 'tag', 'state', 'group', 'told'] as const
const states = ['failing', 'degraded', 'passing', 'unknown', 'paused'] as const

export const filterOf = (context: RequestContext): CheckFilter => {
  const [search, type, tag, state, group, told] = filterNames.map((name) => textOf(context, name).trim())
  const status = states.find((each) => each === state)
  return {
    accountId: context.principal.accountId,
    ...(search ? { search } : {}),
    ...(type && checkTypes.includes(type as CheckType) ? { checkType: type } : {}),
    ...(tag ? { tags: [tag] } : {}),
    ...(state === 'paused' ? { activated: false } : {}),
    ...(status === undefined || status === 'paused' ? {} : { status }),
    ...(told === 'nobody' ? { isUntold: true } : {}),
    ...(group && /^\d{1,9}$/.test(group) ? { groupId: Number(group) } : {}),
  }
}

/** `1767225600000.6f0c…`: when the last one of the page before was made, and its id. */
const cursorIn = (text: string): ListCursor | undefined => {
  const [, at, id] = /^(\d{1,15})\.([0-9a-f-]{36})$/.exec(text) ?? []
  return at === undefined || id === undefined ? undefined : { createdAt: Number(at), id }
}

export const readRows = async (
  context: RequestContext,
  filter: CheckFilter,
  after: ListCursor | undefined,
  limit: number,
): Promise<Row[]> => {
  const checks = await checksAfter(context.app.db, filter, { after, limit })
  const statuses = await context.app.db.all(statusesOf, { checkIds: checks.map(({ id }) => id) })
  const byId = new Map(statuses.map((status) => [status.check_id, status]))
  return checks.map((check) => rowOf(check, byId.get(check.id)))
}

const rowOf = (check: ListedAfter, status: { state: string; last_started_at: number } | undefined): Row => {
  const {
    muted,
    tags: names,
    frequency,
    request,
  } = checkDoc.read(check.doc) as {
    muted?: boolean
    tags: string[]
    frequency?: number
    request?: { url?: string; hostname?: string; query?: string }
  }
  return {
    id: check.id,
    name: check.name,
    type: check.type as CheckType,
    state: check.activated ? stateOf(status?.state) : 'paused',
    isMuted: muted === true,
    tags: names ?? [],
    groupId: check.group_id,
    frequency: frequency ?? null,
    target: request?.url ?? request?.hostname ?? request?.query ?? '',
    lastRunAt: status?.last_started_at ?? null,
    createdAt: check.created_at,
  }
}

export const checksPage = async (context: RequestContext): Promise<Reply<string>> => {
  const rows = await readRows(context, filterOf(context), cursorIn(textOf(context, 'after')), perPage + 1)
  const shown = rows.slice(0, perPage)
  const last = rows.length > perPage ? shown.at(-1) : undefined
  const choices = await choicesFor(context, [{ properties: { groupId: {}, alertChannelId: {} } }])
  const [groups = [], channels = []] = [choices.get('groupId'), choices.get('alertChannelId')]
  return dashboardPage(context, {
    title: 'Checks',
    section: '/app/checks',
    isLive: true,
    search: searchIn(context),
    actions: [
      ...(context.can('READ_WRITE') ? [linkButton('/app/checks/new', 'New check', 'main')] : []),
      html`<details class="menu"><summary>Export</summary><p>${(['csv', 'json', 'yaml'] as const).map((format) => html`<a href="/app/checks/export/${format}?${searchOf(context)}">${format.toUpperCase()}</a> `)}</p></details>`,
    ],
    content: [filterForm(context, groups), listCard(context, shown, channels), pager(context, last)],
  })
}

export const searchOf = (context: RequestContext, more: Record<string, string> = {}): string =>
  querystringOf({ ...Object.fromEntries(filterNames.map((name) => [name, textOf(context, name)])), ...more })

/** What is searched beside the filters that are set. */
const searchIn = (context: RequestContext) => ({
  text: textOf(context, 'search'),
  kept: filterNames
    .filter((name) => name !== 'search' && textOf(context, name) !== '')
    .map((name) => [name, textOf(context, name)] as const),
})

const pager = (context: RequestContext, last: Row | undefined): Html | null => {
  const isFirst = textOf(context, 'after') === ''
  if (isFirst && last === undefined) return null
  return html`<nav class="pager" aria-label="Pages of the list">${isFirst ? null : html`<a class="button second" href="/app/checks?${searchOf(context)}">From the first</a>`}${
    last === undefined
      ? null
      : html`<a class="button second" rel="next" href="/app/checks?${searchOf(context, { after: `${last.createdAt}.${last.id}` })}">The next ${perPage}</a>`
  }</nav>`
}

type Choice = readonly [value: string, label: string]

const select = (name: string, label: string, chosen: string, choices: readonly Choice[]): Html =>
  html`<label>${label}<select name="${name}"><option value="">any</option>${choices.map(
    ([value, word]) =>
      html`<option value="${value}"${value === chosen ? html` selected` : null}>${word}</option>`,
  )}</select></label>`

const filterForm = (context: RequestContext, groups: readonly Option[]): Html =>
  html`<form class="filters" method="get" action="/app/checks"><input type="hidden" name="search" value="${textOf(context, 'search')}">${select(
    'state',
    'State',
    textOf(context, 'state'),
    states.map((state) => [state, stateWord(state)]),
  )}${select(
    'type',
    'Type',
    textOf(context, 'type'),
    checkTypes.map((type) => [type, kindOf(type).label]),
  )}${
    groups.length === 0
      ? null
      : select(
          'group',
          'Group',
          textOf(context, 'group'),
          groups.map(({ value, label }) => [String(value), label]),
        )
  }${select('told', 'Who is told', textOf(context, 'told'), [['nobody', 'nobody']])}<label>Tag <input name="tag" value="${textOf(context, 'tag')}" autocomplete="off" size="12"></label><button class="second">Filter</button></form>`

const acts = [
  ['pause', 'Pause'],
  ['resume', 'Resume'],
  ['mute', 'Mute'],
  ['unmute', 'Unmute'],
  ['delete', 'Delete'],
] as const

const listCard = (context: RequestContext, rows: readonly Row[], channels: readonly Option[]): Html => {
  if (rows.length === 0)
    return card(
      '',
      html`<p class="empty">No check is like this. <a href="/app/checks">Show all</a></p>`,
      'list',
    )
  const mayRun = context.can('READ_RUN')
  const list = html`<div class="scroll" tabindex="0" role="region" aria-label="Checks"><table class="list cards"><thead><tr>${mayRun ? html`<th class="tick" scope="col"><span class="hide">Chosen</span><span hidden><input type="checkbox" data-all="checkIds[]" aria-label="Choose all on this page"></span></th>` : null}<th scope="col">State</th><th scope="col">Check</th><th scope="col">Type</th><th scope="col">Tags</th><th scope="col">Last run</th></tr></thead><tbody>${rows.map(
    (row) => rowHtml(row, { now: context.now, mayRun }),
  )}</tbody></table></div>`
  if (!mayRun) return card('', list, 'list')
  return card(
    '',
    html`<form method="post" action="/app/checks/bulk?${searchOf(context)}">${list}<div class="bulk"><span class="quiet">With those that are ticked:</span><button class="second small" name="_do" value="run">Run now</button>${
      context.can('READ_WRITE')
        ? acts.map(
            ([act, word]) => html`<button class="second small" name="_do" value="${act}">${word}</button>`,
          )
        : null
    }${context.can('READ_WRITE') && channels.length > 0 ? html`<label><span class="hide">Channel</span><select name="channel">${channels.map(({ value, label }) => html`<option value="${String(value)}">${label}</option>`)}</select></label><button class="second small" name="_do" value="subscribe">Tell this channel</button>` : null}</div></form>`,
    'list',
  )
}

const rowHtml = (row: Row, { now, mayRun }: { now: number; mayRun: boolean }): Html =>
  html`<tr>${mayRun ? html`<td class="tick"><input type="checkbox" name="checkIds[]" value="${row.id}" aria-label="${row.name}"></td>` : null}<td>${stateMark(row.state)}</td><td class="main"><a href="/app/checks/${row.id}">${row.name}</a>${row.isMuted ? html` <span class="quiet">muted</span>` : null}${row.target === '' ? null : html`<p class="why">${cut(withoutCredentials(row.target), 120)}</p>`}</td><td>${kindOf(row.type).label}</td><td>${tags(row.tags.slice(0, 8))}</td><td>${agoOf(row.lastRunAt, now)}</td></tr>`

export const boundedIds = (value: unknown): string[] =>
  (Array.isArray(value) ? value : value === undefined ? [] : [value])
    .map(String)
    .filter((id) => id.length === 36)
    .slice(0, perPage)
