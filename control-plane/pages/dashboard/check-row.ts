/** One check in the list: its state, its history, and when it fails why, since when and who was told. Pure. */
import { saidReason } from '../../insight/result-pages/said-reason.ts'
import { kindOf } from '../../monitoring/definitions/checks/types/index.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { listed, say } from '../../platform/web/html/say.ts'
import { cut, withoutCredentials } from '../../platform/web/html/section.ts'
import { lasted, milliseconds } from '../../platform/web/html/words.ts'
import type { Reason } from './check-reasons.ts'
import type { Row, RowsOfPage } from './check-rows.ts'
import { agoOf, stateMark, tags } from './parts.ts'
import { runStrip } from './run-strip.ts'
import { share } from './strip.ts'

type Around = {
  page: RowsOfPage
  now: number
  mayRun: boolean
  groups: ReadonlyMap<number, string>
}

export const checkRow = (row: Row, { page, now, mayRun, groups }: Around): Html => {
  const { uptime = null, p95 = null } = page.figures.get(row.id) ?? {}
  const group = row.groupId === null ? undefined : groups.get(row.groupId)
  return html`<tr>${mayRun ? html`<td class="tick"><input type="checkbox" name="checkIds[]" value="${row.id}" aria-label="${row.name}"></td>` : null}<td class="mark">${stateMark(row.state)}</td><td class="main"><a href="/app/checks/${row.id}" dir="auto">${row.name}</a> ${row.isMuted ? html`<span class="quiet">muted</span> ` : null}${group === undefined ? null : html`<a class="tag in" href="/app/checks?group=${row.groupId}" dir="auto">${group}</a>`}${tags(row.tags.slice(0, 8))}${lineOf(row, page.reasons.get(row.id), now)}</td><td class="history">${runStrip((page.runs.get(row.id) ?? []).map(({ state }) => state))}</td><td class="num" data-label="30 days">${share(uptime)}</td><td class="num" data-label="p95">${p95 === null ? '–' : milliseconds(p95)}</td><td class="num quiet">${row.lastRunAt === null ? say('never') : agoOf(row.lastRunAt, now)}</td></tr>`
}

const lineOf = (row: Row, reason: Reason | undefined, now: number): Content => {
  const what = row.target === '' ? say(kindOf(row.type).label) : cut(withoutCredentials(row.target), 120)
  if (reason === undefined) return html`<p class="why">${what}</p>`
  const since = reason.since === null ? null : html`for ${lasted(now - reason.since)} · `
  const why = reason.text === '' ? what : saidReason(reason.text, 160)
  return html`<p class="why ${row.state}">${why} · ${since}${toldOf(row, reason)}</p>`
}

const toldOf = ({ isMuted }: Row, { channels, wasTold }: Reason): Content => {
  if (channels.length === 0) return html`<b>nobody is told</b>`
  const names = listed(channels)
  if (wasTold) return html`told by ${names}`
  return isMuted ? say('muted: nobody was told') : html`not told yet (${names})`
}
