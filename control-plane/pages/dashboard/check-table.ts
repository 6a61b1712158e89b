/** Checks as a table, each with its history; in a list its columns sort it. Pure. */
import { type Html, html } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'
import { type Sort, searchOf, sortText } from './check-filter.ts'
import { checkRow } from './check-row.ts'
import type { RowsOfPage } from './check-rows.ts'
import type { RequestContext } from './request-context.ts'

/** Without `sort` its columns do not sort; without `groups` it is of one group. */
type Shown = { page: RowsOfPage; sort?: Sort; groups?: ReadonlyMap<number, string> }

export const checkTable = (context: RequestContext, { page, sort, groups = new Map() }: Shown): Html => {
  const mayRun = context.can('READ_RUN')
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Checks"><table class="list cards checks"><thead><tr>${mayRun ? html`<th class="tick" scope="col"><span class="hide">Chosen</span><span hidden><input type="checkbox" data-all="checkIds[]" aria-label="Choose all on this page"></span></th>` : null}${columns.map(
    (column) => heading(context, column, sort),
  )}</tr></thead><tbody>${page.rows.map((row) =>
    checkRow(row, { page, now: context.now, mayRun, groups }),
  )}</tbody></table></div>`
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
const heading = (context: RequestContext, { by, label, kind }: ListColumn, sort: Sort | undefined): Html => {
  const of = kind === undefined ? null : html` class="${kind}"`
  if (by === undefined || sort === undefined) return html`<th scope="col"${of}>${say(label)}</th>`
  const isCurrent = sort.by === by
  const next = sortText({ by, isReversed: isCurrent && !sort.isReversed })
  return html`<th scope="col"${of}${isCurrent ? html` aria-sort="${sort.isReversed ? 'descending' : 'ascending'}"` : null}><a href="/app/checks?${searchOf(context, { sort: next })}">${say(label)}${isCurrent ? html`<span aria-hidden="true"> ${sort.isReversed ? '▲' : '▼'}</span>` : null}</a></th>`
}
