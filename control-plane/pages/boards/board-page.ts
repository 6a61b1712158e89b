/** A dashboard as people see it on a wall or a phone: whole without a script. Pure. */
import type { DashboardDoc } from '../../communication/dashboards/schema.ts'
import { kindOf } from '../../monitoring/definitions/checks/types/index.ts'
import { icon } from '../../platform/web/html/assets.ts'
import { documentOf, policyOf } from '../../platform/web/html/document.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { count, number, say } from '../../platform/web/html/say.ts'
import { style } from '../../platform/web/html/style.ts'
import { utc } from '../../platform/web/html/utc.ts'
import { milliseconds } from '../../platform/web/html/words.ts'
import type { Row } from '../dashboard/check-rows.ts'
import { agoOf, type State, stateMark, stateWord, toneOf } from '../dashboard/parts.ts'
import { runStrip } from '../dashboard/run-strip.ts'
import { share } from '../dashboard/strip.ts'
import { sayWord } from '../dashboard/words.ts'
import { boardStyle } from './board-style.ts'
import type { Board, BoardIncident } from './read-board.ts'

export type Place = {
  /** Before every path: empty on a domain of its own. */
  prefix: string
  /** Of the style sheet of its owner; null: there is none. */
  sheet: string | null
}

export const homeOf = ({ prefix }: Place): string => (prefix === '' ? '/' : prefix)

type BoardDocument = { text: string; policy: string }

export const boardPage = (board: Board, place: Place): BoardDocument => {
  const { options, rows } = board
  const main = html`${summary(board)}
${board.incidents.length === 0 ? null : html`<section class="told"><h2>Incidents</h2>${board.incidents.map(incidentItem)}</section>`}
<section id="checks"><h2 class="hide">Checks</h2>${rows.length === 0 ? html`<p class="empty">No active check has the tags of this dashboard.</p>` : html`${headings(options)}<ol class="rows">${rows.map((row) => checkItem(row, board))}</ol>`}</section>
${pageLinks(board, place)}`
  return boardDocument({ options, place, main })
}

type Framed = { options: DashboardDoc; place: Place; main: Content }

export const boardDocument = ({ options, place, main }: Framed): BoardDocument => {
  const styles = [style, boardStyle]
  const { header, favicon, logo, isPrivate } = options
  const pictures = [favicon, logo].flatMap((address) => URL.parse(address ?? '')?.origin ?? [])
  const body = html`<a class="skip" href="#checks">To the checks</a>
<div class="board${options.width === 'FULL' ? ' full' : ''}">${options.showHeader ? headerOf(options, place) : html`<h1 class="hide">${header}</h1>`}
<main id="m">${main}</main>
<footer>Watchpost</footer></div>`
  const sheet = place.sheet === null ? null : html`<link rel="stylesheet" href="${place.sheet}">\n`
  return {
    text: documentOf({
      title: header,
      styles,
      icon: (favicon ?? '') === '' ? icon.path : (favicon ?? ''),
      head: sheet,
      body,
      isListed: !isPrivate,
    }),
    policy: policyOf({
      styles,
      hasForm: true,
      hasSheets: sheet !== null,
      pictures: [...new Set(pictures)],
    }),
  }
}

const headerOf = ({ header, description, logo, link }: DashboardDoc, place: Place): Html => {
  const picture =
    (logo ?? '') === '' ? null : html`<img src="${logo ?? ''}" alt="" referrerpolicy="no-referrer">`
  const href = (link ?? '') === '' ? homeOf(place) : (link ?? '')
  return html`<header><a class="brand" href="${href}">${picture}<h1 dir="auto">${header}</h1></a>${(description ?? '') === '' ? null : html`<p class="about" dir="auto">${description}</p>`}</header>`
}

const listed = ['failing', 'degraded', 'stale', 'unknown', 'waiting', 'passing'] as const

/** One sentence, and how many checks are how. */
const summary = ({ counts, at }: Board): Html => {
  const worst: State = listed.find((state) => counts[state] > 0) ?? 'waiting'
  const sentence =
    counts.failing > 0
      ? count(counts.failing, { one: '# check fails', other: '# checks fail' })
      : counts.degraded > 0
        ? count(counts.degraded, { one: '# check is degraded', other: '# checks are degraded' })
        : counts.stale + counts.unknown > 0
          ? say('Not everything is known')
          : counts.passing > 0
            ? say('All checks pass')
            : say('Nothing was run yet')
  return html`<section class="sum ${toneOf(worst)}"><p class="say">${sentence}</p><ul class="counts">${listed
    .filter((state) => counts[state] > 0)
    .map(
      (state) =>
        html`<li class="${toneOf(state)}"><b>${number(counts[state])}</b> ${say(stateWord(state))}</li>`,
    )}</ul><p class="quiet">As of ${utc(at)}</p></section>`
}

const tones = { MAJOR: 'failing', MINOR: 'degraded', MAINTENANCE: 'neutral' } as const

const incidentItem = (incident: BoardIncident): Html => {
  const { name, impact, isOver, updates, createdAt } = incident
  const startedAt = incident.startedAt ?? createdAt
  const span =
    incident.stoppedAt === null ? utc(startedAt) : html`${utc(startedAt)} – ${utc(incident.stoppedAt)}`
  return html`<details class="incident ${isOver ? 'neutral' : tones[impact]}"${isOver ? null : html` open`}><summary><b dir="auto">${name}</b> <span>${sayWord(impact, 'impact')} · ${isOver ? say('Over') : sayWord(updates[0]?.status ?? '', 'status')}</span></summary><p class="quiet">${span}</p><ol>${updates.map(
    (update) =>
      html`<li><p class="prose" dir="auto">${update.description}</p><p class="quiet">${sayWord(update.status, 'status')}, ${utc(update.createdAt)}</p></li>`,
  )}</ol></details>`
}

const headings = ({ showP95, showP99 }: DashboardDoc): Html =>
  html`<p class="heads" aria-hidden="true"><span>State</span><span>Check</span><span>Latest runs</span><span>30 days</span>${showP95 ? html`<span>p95</span>` : null}${showP99 ? html`<span>p99</span>` : null}</p>`

const checkItem = (row: Row, board: Board): Html => {
  const { options, groups, at } = board
  const { uptime = null, p95 = null, p99 = null } = board.figures.get(row.id) ?? {}
  const group = row.groupId === null ? undefined : groups.get(row.groupId)
  const runs = board.runs.get(row.id) ?? []
  const lastBad = runs.findLast(({ state }) => state === 'failing')
  return html`<li><details${options.expandChecks ? html` open` : null}><summary class="${toneOf(row.state)}">${stateMark(row.state)}<span class="name"><b dir="auto">${row.name}</b>${group === undefined ? null : html` <span class="quiet" dir="auto">${group}</span>`}${options.hideTags ? null : row.tags.slice(0, 6).map((tag) => html` <span class="tag" dir="auto">${tag}</span>`)}</span>${runStrip(runs.map(({ state }) => state))}<span class="num"><i>30 days</i>${share(uptime)}</span>${options.showP95 ? html`<span class="num"><i>p95</i>${timeOf(p95)}</span>` : null}${options.showP99 ? html`<span class="num"><i>p99</i>${timeOf(p99)}</span>` : null}</summary><dl><div><dt>Kind</dt><dd>${say(kindOf(row.type).label)}</dd></div><div><dt>Last run</dt><dd>${row.lastRunAt === null ? say('never') : agoOf(row.lastRunAt, at)}</dd></div><div><dt>Failed last</dt><dd>${lastBad === undefined ? say('not in the latest runs') : agoOf(lastBad.startedAt, at)}</dd></div>${options.showCheckRunLinks ? html`<div><dt>Results</dt><dd><a href="/app/checks/${row.id}">Open in the dashboard</a></dd></div>` : null}</dl></details></li>`
}

const timeOf = (ms: number | null): Content => (ms === null ? '–' : milliseconds(ms))

/** So many on each side of the part that is shown. */
const around = 3

/** Whoever chooses a part stays there; the first link goes back to what comes by itself. */
const pageLinks = ({ part, parts, isTurning, options, reloadSeconds }: Board, place: Place): Html => {
  const home = homeOf(place)
  const near = Array.from({ length: parts }, (_, at) => at + 1).filter(
    (each) => each === 1 || each === parts || Math.abs(each - part) <= around,
  )
  const links = html`<nav aria-label="Parts of the list"><ul>${near.map(
    (each) =>
      html`<li><a href="${home}?page=${each}"${each === part ? html` aria-current="page"` : null}>${number(each)}</a></li>`,
  )}</ul></nav>`
  return html`<div class="turn">${parts > 1 ? links : null}<p class="quiet">${isTurning ? say('The next part comes in {0} s.', number(reloadSeconds)) : say('Loaded again every {0} s.', number(options.refreshRate))} ${isTurning ? html`<a href="${home}?page=${part}">Stay here</a>` : parts > 1 && options.paginate ? html`<a href="${home}">Turn by itself</a>` : null} <a href="${home}?page=${part}&amp;still=true">Do not load again</a></p></div>`
}

/** What somebody without the key sees: no more than it takes to recognise it. */
export const lockedBoard = (options: DashboardDoc, place: Place, isWrong: boolean): BoardDocument =>
  boardDocument({
    options: { ...options, description: null },
    place: { ...place, sheet: null },
    main: html`<section class="card gate" id="checks"><h2>This dashboard is private</h2>${isWrong ? html`<p class="wrong" role="alert">It is another key.</p>` : null}<form method="post" action="${place.prefix}/open"><label for="key">Key</label><input id="key" name="password" type="password" autocomplete="current-password" required maxlength="200"><button>Open</button></form></section>`,
  })
