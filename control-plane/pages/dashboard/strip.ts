/** A row of bars over time, each with its words; a bar that leads somewhere is a link. Pure. */
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { count, fixed, say } from '../../platform/web/html/say.ts'
import { clock, dayUtc, shortUtc } from './parts.ts'

type Bar = { at: number; tone: string; words: Content; href: string | null; isDay?: boolean }

/** Two digits, and never 100 where something failed. */
export const round = (percent: number): string => {
  const rounded = Math.round(percent * 100) / 100
  return String(rounded === 100 && percent < 100 ? 99.99 : rounded)
}

/** As much red as runs failed, in steps. */
export const shareTone = (availability: number | null): string => {
  if (availability === null) return 'none'
  if (availability >= 100) return 'passing'
  return availability >= 99 ? 'f1' : availability >= 90 ? 'f2' : availability >= 50 ? 'f3' : 'f4'
}

export const runsInWords = (runs: number, failed: number): Content =>
  failed === 0
    ? count(runs, { one: '# run, passed', other: '# runs, all passed' })
    : say('{0} of {1} runs failed', failed, runs)

export const strip = (bars: readonly Bar[]): Html =>
  html`<ol class="days">${bars.map(({ at, tone, words, href, isDay }) => {
    const title = isDay ? html`${dayUtc(at)}: ${words}` : html`${shortUtc(at)} UTC: ${words}`
    const text = isDay ? title : html`${clock(at)}: ${words}`
    const label = html`<span class="hide">${text}</span>`
    return html`<li class="d-${tone}" title="${title}">${href === null ? label : html`<a href="${href}">${label}</a>`}</li>`
  })}</ol>`

/** How many of a hundred runs passed; never rounded up to what it was not. */
export const share = (uptime: number | null): Content => {
  if (uptime === null) return '–'
  return say('{0} %', uptime === 100 ? '100' : fixed(Math.floor(uptime * 100) / 100, 2))
}
