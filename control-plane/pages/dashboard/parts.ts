/** The small pieces that pages of the dashboard are made of. Pure. */
import { type Content, type Html, html, inLocale, type Localized } from '../../platform/web/html/html.ts'
import { ours, say } from '../../platform/web/html/say.ts'
import { utc, utcText } from '../../platform/web/html/utc.ts'
import { relative } from '../../platform/web/html/words.ts'

export type State = 'failing' | 'degraded' | 'passing' | 'stale' | 'unknown' | 'paused' | 'waiting'

const stateStyles: { [S in State]: { word: string; sign: string; tone: string } } = {
  failing: { word: 'Failing', sign: '✕', tone: 'failing' },
  degraded: { word: 'Degraded', sign: '!', tone: 'degraded' },
  passing: { word: 'Passing', sign: '✓', tone: 'passing' },
  stale: { word: 'Stale', sign: '⧖', tone: 'neutral' },
  unknown: { word: 'Unknown', sign: '?', tone: 'neutral' },
  paused: { word: 'Paused', sign: 'Ⅱ', tone: 'neutral' },
  waiting: { word: 'Not run yet', sign: '…', tone: 'neutral' },
}

export const stateOf = (text: string | undefined): State =>
  text !== undefined && Object.hasOwn(stateStyles, text) ? (text as State) : 'waiting'

/** A shape and a word beside the colour. */
export const stateMark = (state: State): Html => {
  const { word, sign, tone } = stateStyles[state]
  return html`<span class="state ${tone}"><i aria-hidden="true">${sign}</i>${say(word)}</span>`
}

export const stateWord = (state: State): string => stateStyles[state].word
export const toneOf = (state: State): string => stateStyles[state].tone

export const tags = (names: readonly string[]): Content =>
  names.map((name) => html`<a class="tag" href="/app/checks?tag=${encodeURIComponent(name)}">${name}</a>`)

/** One button that sends a form of its own. */
export const actionButton = (
  href: string,
  word: Content,
  fields: Readonly<Record<string, string>> = {},
  kind = 'second',
): Html =>
  html`<form class="inline" method="post" action="${href}">${Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button class="${kind}">${ours(word)}</button></form>`

export const linkButton = (href: string, word: Content, kind = 'second'): Html =>
  html`<a class="button ${kind}" href="${href}">${ours(word)}</a>`

export type Column<T> = {
  label: string
  /** Its cells are instants without their zone: the label has it. */
  isTime?: true
  cell: (item: T) => Content
  kind?: 'main' | 'num' | 'act'
}

/** `label`: what it lists, for those who hear it. */
export const table = <T>(
  label: Content,
  columns: readonly Column<T>[],
  items: readonly T[],
  empty: Content,
): Html =>
  items.length === 0
    ? html`<p class="empty">${ours(empty)}</p>`
    : html`<div class="scroll" tabindex="0" role="region" aria-label="${ours(label)}"><table class="list cards"><thead><tr>${columns.map(
        ({ label: name, kind, isTime }) =>
          html`<th scope="col"${kind === undefined ? null : html` class="${kind}"`}>${name === '' ? html`<span class="hide">Actions</span>` : say(name)}${isTime ? html` (<span data-zone>UTC</span>)` : null}</th>`,
      )}</tr></thead><tbody>${items.map(
        (item) =>
          html`<tr>${columns.map(
            ({ label: name, cell, kind }) =>
              html`<td${kind === undefined ? null : html` class="${kind}"`}${name === '' || name === 'State' || kind === 'main' ? null : html` data-label="${say(name)}"`}>${cell(item)}</td>`,
          )}</tr>`,
      )}</tbody></table></div>`

export const card = (title: Content, content: Content, id = ''): Html =>
  html`<section class="card"${id === '' ? null : html` id="${id}" data-part`}>${title === '' ? null : html`<h2>${ours(title)}</h2>`}${content}</section>`

/** An instant of the API, and how long ago. */
export const when = (instant: string | number | null | undefined, now: number): Content => {
  if (instant === null || instant === undefined) return html`<span class="quiet">never</span>`
  const at = typeof instant === 'number' ? instant : Date.parse(instant)
  if (Number.isNaN(at)) return String(instant)
  return html`<span class="nowrap">${relative(at, now)}</span> <span class="quiet">${utc(at)}</span>`
}

export const agoOf = (instant: string | number | null | undefined, now: number): Content => {
  if (instant === null || instant === undefined) return ''
  const at = typeof instant === 'number' ? instant : Date.parse(instant)
  return html`<time datetime="${new Date(at).toISOString()}" title="${utcText(at)}">${relative(at, now)}</time>`
}

/** `14 Mar, 02:13`, in UTC; with seconds where runs are told apart. */
export const shortUtc = (at: number, withSeconds = false): Localized =>
  inLocale((locale) => locale.date(at, withSeconds ? secondOfDay : minuteOfDay))

/** `14 Mar`, in UTC. */
export const dayUtc = (at: number): Localized => inLocale((locale) => locale.date(at, dayOfYear))

const dayOfYear = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const
const minuteOfDay = { ...dayOfYear, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const secondOfDay = { ...minuteOfDay, second: '2-digit' } as const

/** The same, which a script shows in the reader's zone; what stands beside it names the zone (`data-zone`). */
export const clock = (at: number, withSeconds = false): Html =>
  html`<time datetime="${new Date(at).toISOString()}" data-short${withSeconds ? html`="s"` : null}>${shortUtc(at, withSeconds)}</time>`
