/** The report: uptime and response times of all checks over a time, to be looked at, printed and exported. */
import { isRunnable } from '../../../protocol/check-type.ts'
import { reportPage as pageOfReport, type ReportSums } from '../../insight/reporting/report.ts'
import { questionOf, readReport as reportRoute } from '../../insight/reporting/routes.ts'
import type { ReportItem } from '../../insight/reporting/schema.ts'
import { reportRanges } from '../../insight/reporting/schema.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { number, say } from '../../platform/web/html/say.ts'
import { lasted, milliseconds } from '../../platform/web/html/words.ts'
import { csvLine } from '../../platform/web/http/answers/csv-line.ts'
import type { Bytes } from '../../platform/web/http/answers/serialize.ts'
import { type Reply, reply } from '../../platform/web/http/route.ts'
import { ApiError, notFound } from '../../platform/words/errors.ts'
import { instantField, instantIn, selectField, textField } from './filter-form.ts'
import { choicesFor } from './forms/choices.ts'
import { dashboardPage } from './frame.ts'
import { querystringOf } from './internal-client.ts'
import { card, table, tags } from './parts.ts'
import { type RequestContext, textOf } from './request-context.ts'
import { share } from './strip.ts'
import { sayWord } from './words.ts'

const path = '/app/reports'
const perPage = 100
const filterNames = ['period', 'from', 'to', 'timezone', 'tag', 'group', 'sort'] as const

const sorts: { readonly [sort: string]: { word: string; of: (item: ReportItem) => number } } = {
  uptime: { word: 'the worst uptime first', of: ({ aggregate }) => aggregate?.successRatio ?? 101 },
  p95: { word: 'the slowest first', of: ({ aggregate }) => -(aggregate?.p95 ?? -1) },
}

const periodOf = (context: RequestContext): string =>
  reportRanges.find((range) => range === textOf(context, 'period')) ?? 'last7Days'

const queryOf = (context: RequestContext) => {
  const text = (name: (typeof filterNames)[number]): string => textOf(context, name).trim()
  const [from, to] = [instantIn(text('from')), instantIn(text('to'))]
  return {
    quickRange: periodOf(context) as (typeof reportRanges)[number],
    timezone: text('timezone') || 'UTC',
    ...(from === undefined ? {} : { from: new Date(from).toISOString() }),
    ...(to === undefined ? {} : { to: new Date(to).toISOString() }),
    ...(text('tag') === '' ? {} : { filterByTags: [text('tag')] }),
    ...(/^\d{1,9}$/.test(text('group')) ? { groupId: Number(text('group')) } : {}),
  }
}

/** One page, with what it says of all. @throws ApiError 400 for a zone or a time that there is not */
const readPage = async (context: RequestContext, page: number) => {
  const { app, principal, input } = context
  const asker = { accountId: principal.accountId, signal: input.signal }
  const sort = textOf(context, 'sort').trim()
  const order = sort === 'uptime' || sort === 'p95' ? sort : 'name'
  const offset = (page - 1) * perPage
  return pageOfReport(app, questionOf(app, asker, queryOf(context)), { order, offset, limit: perPage })
}

/** Everything: asks the API as its own callers do. @throws ApiError 400 for a zone or a time that there is not */
const readReport = async (context: RequestContext): Promise<ReportItem[]> => {
  const text = (name: (typeof filterNames)[number]): string => textOf(context, name).trim()
  const { body } = await context.call(reportRoute, { query: queryOf(context) })
  const sort = Object.hasOwn(sorts, text('sort')) ? sorts[text('sort')] : undefined
  const byName = body.toSorted((a, b) => a.name.localeCompare(b.name))
  return sort === undefined ? byName : byName.toSorted((a, b) => sort.of(a) - sort.of(b))
}

export const reportPage = async (context: RequestContext): Promise<Reply<string>> => {
  const page = Math.max(1, Number(/^\d{1,4}$/.exec(textOf(context, 'page'))?.[0] ?? 1))
  const asked = await readPage(context, page).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 400) return error
    throw error
  })
  const groups = (await choicesFor(context, [{ properties: { groupId: {} } }])).get('groupId') ?? []
  return dashboardPage(context, {
    title: say('Report'),
    section: path,
    styles: [printed],
    actions: (['csv', 'json'] as const).map(
      (format) =>
        html`<a class="button second" href="${path}/export/${format}?${searchOf(context)}">${format.toUpperCase()}</a>`,
    ),
    content: [
      filters(
        context,
        groups.map(({ value, label }) => [String(value), html`${label}`] as const),
      ),
      asked instanceof ApiError
        ? html`<section class="card problem" role="alert"><p>There is no such time or time zone: a report begins before it ends, and covers at most 400 days.</p></section>`
        : html`${summaryOf(context, asked.sums)}${card('', reportTable(asked.items))}${pager(context, page, asked.sums.total)}`,
    ],
  })
}

const filters = (context: RequestContext, groups: readonly (readonly [string, Content])[]): Html => {
  const text = (name: (typeof filterNames)[number]): string => textOf(context, name).trim()
  return html`<form class="filters" method="get" action="${path}">${selectField(
    { name: 'period', label: 'Period', any: null },
    periodOf(context),
    reportRanges.map((range) => [range, sayWord(range, 'quickRange')]),
  )}${instantField('from', 'or from (UTC)', text('from'))}${instantField('to', 'until (UTC)', text('to'))}${textField('timezone', 'Days and weeks of', text('timezone') || 'UTC')}${textField('tag', 'Tag', text('tag'))}${
    groups.length === 0 ? null : selectField({ name: 'group', label: 'Group' }, text('group'), groups)
  }${selectField(
    { name: 'sort', label: 'Order', any: 'by name' },
    text('sort'),
    Object.entries(sorts).map(([value, { word }]) => [value, say(word)]),
  )}<button class="second">Show</button></form>`
}

const summaryOf = (context: RequestContext, { total, measured, perfect }: ReportSums): Html => {
  const [from, to] = [textOf(context, 'from'), textOf(context, 'to')]
  const period = from === '' && to === '' ? sayWord(periodOf(context), 'quickRange') : `${from} – ${to} UTC`
  return html`<p class="quiet intro"><b>${period}</b> · ${say('{0} checks, {1} with runs, {2} without a failure', number(total), number(measured), number(perfect))}. A run that could not be judged does not count; a degraded one passed.</p>`
}

const ms = (value: number | null | undefined): Content =>
  value === null || value === undefined ? html`<span class="quiet">–</span>` : milliseconds(value)

/** Nobody waits for an answer where something else says that it is well. */
const timesOf = ({ checkType, aggregate }: ReportItem): ReportItem['aggregate'] =>
  isRunnable(checkType) ? aggregate : undefined

const reportTable = (items: readonly ReportItem[]): Html =>
  table<ReportItem>(
    'Report',
    [
      {
        label: 'Check',
        kind: 'main',
        cell: ({ checkId, name, deactivated, tags: names }) =>
          html`<a href="/app/checks/${checkId}" dir="auto">${name}</a>${deactivated ? html` <span class="quiet">paused</span>` : null} ${tags(names)}`,
      },
      { label: 'Type', cell: ({ checkType }) => sayWord(checkType, 'type') },
      {
        label: 'Uptime',
        kind: 'num',
        cell: ({ aggregate }) => {
          const ratio = aggregate?.successRatio ?? null
          return ratio === null ? html`<span class="quiet">no runs</span>` : share(ratio)
        },
      },
      { label: 'Down because of others', cell: becauseOfOthers },
      { label: 'Mean', kind: 'num', cell: (item) => ms(timesOf(item)?.avg) },
      { label: 'p95', kind: 'num', cell: (item) => ms(timesOf(item)?.p95) },
      { label: 'p99', kind: 'num', cell: (item) => ms(timesOf(item)?.p99) },
    ],
    items,
    'No check is like this.',
  )

/** Part of what is not up: the check failed because something that it depends on was down. */
const becauseOfOthers = ({ aggregate }: ReportItem): Content => {
  const causes = aggregate?.dependencyDowntime ?? []
  if (causes.length === 0) return html`<span class="quiet">–</span>`
  return causes.map(({ name, seconds }, at) => [
    at === 0 ? '' : html`<br>`,
    html`${lasted(seconds * 1000)} <span class="quiet" dir="auto">${name}</span>`,
  ])
}

const searchOf = (context: RequestContext, more: Record<string, string> = {}): string =>
  querystringOf({ ...Object.fromEntries(filterNames.map((name) => [name, textOf(context, name)])), ...more })

const pager = (context: RequestContext, page: number, total: number): Html | null =>
  total <= perPage
    ? null
    : html`<nav class="pager" aria-label="Pages of the list">${page > 1 ? html`<a class="button second" rel="prev" href="${path}?${searchOf(context, { page: String(page - 1) })}">Previous page</a>` : null}${
        page * perPage < total
          ? html`<a class="button second" rel="next" href="${path}?${searchOf(context, { page: String(page + 1) })}">Next page</a>`
          : null
      } <span class="quiet">${say('{0} to {1} of {2}', (page - 1) * perPage + 1, Math.min(page * perPage, total), total)}</span></nav>`

/** On paper: the table alone. */
const printed = html`@media print{.top,.side,.tabs,.filters,.actions,.pager,.skip{display:none!important}.frame{display:block}.card{border:0;padding:0;box-shadow:none}.scroll{overflow:visible}.list tr{break-inside:avoid}.list thead{display:table-header-group}}`

export const exportReport = async (context: RequestContext): Promise<Reply<Bytes>> => {
  const format = context.params['format'] ?? ''
  const items = ['csv', 'json'].includes(format) ? await readReport(context) : null
  if (items === null) throw notFound()
  const isCsv = format === 'csv'
  return reply(isCsv ? csvOf(items) : JSON.stringify(items, null, 1), {
    headers: {
      'content-type': isCsv ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8',
      'content-disposition': `attachment; filename="report.${format}"`,
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    },
  })
}

const csvOf = (items: readonly ReportItem[]): string =>
  [
    'checkId,name,type,deactivated,tags,uptimePercent,meanMs,p95Ms,p99Ms,dependencyDowntimeSeconds,dependencies\r\n',
    ...items.map((item) => {
      const { checkId, name, checkType, deactivated, tags: names, aggregate } = item
      const times = timesOf(item)
      const causes = aggregate?.dependencyDowntime ?? []
      return csvLine([
        ...[checkId, name, checkType, deactivated, names],
        ...[aggregate?.successRatio, times?.avg, times?.p95, times?.p99],
        causes.reduce((sum, { seconds }) => sum + seconds, 0),
        causes.map(({ name }) => name).join(', '),
      ])
    }),
  ].join('')
