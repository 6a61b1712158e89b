/** A service as the page shows it: its word, ninety bars, and its uptime. */
import { uptimeDays } from '../../communication/status-page-services/uptime.ts'
import type { Words } from '../../communication/stored-pages/words/words.ts'
import { type Html, html } from '../../platform/web/html/html.ts'
import { countText, dateText, daysAgoText, percentText } from './dates.ts'
import { names } from './event-facts.ts'
import { symbolOf } from './frame.ts'
import type { CardView, Day, DayState, ServiceView } from './model.ts'

/** `u` is what most days are, and says nothing. */
const marks: Record<DayState, Html | null> = {
  up: null,
  degraded: html` class="g"`,
  down: html` class="d"`,
  none: html` class="n"`,
}

/** The red of a day that was lost in part is as high as what was lost, in steps; so little is still seen. */
const redClass = (uptime: number): string => {
  if (uptime >= 0.95) return 'd1'
  if (uptime >= 0.75) return 'd2'
  return uptime >= 0.5 ? 'd3' : 'd'
}

const markOf = ({ state, uptime }: Pick<Day, 'state' | 'uptime'>): Html | null =>
  state === 'down' ? html` class="${redClass(uptime)}"` : marks[state]

/** On narrow screens the later half is shown. */
const shortDays = 45

export const cardSection = (words: Words, { name, services }: CardView): Html =>
  html`${name === '' ? null : html`<h2 dir="auto">${name}</h2>`}<ul class="card group">${services.map((service) => serviceRow(words, service))}</ul>`

const serviceRow = (words: Words, { name, state, uptime, days, because }: ServiceView): Html =>
  html`<li><div class="row"><h3 dir="auto">${name}</h3><span class="word">${symbolOf(state)}${words.states[state]}</span></div>${because.length === 0 ? null : html`<p class="meta">${words.causedBy}: ${names(because)}</p>`}
<div class="bars" role="group" aria-label="${name}: ${words.daysOf}">${days.map((day, index) => bar(words, day, index))}</div>
<div class="scale"><span><span class="long">${daysAgoText(words, uptimeDays)}</span><span class="short">${daysAgoText(words, shortDays)}</span></span><b>${uptime === null ? words.legend.none : `${percentText(words, uptime)} ${words.uptime}`}</b><span>${words.today}</span></div></li>
`

/** Out of the order of tabs: there are ninety in a row, and each leads to the list of days, which is in it. */
const bar = (words: Words, day: Day, index: number): Html =>
  html`<a href="#d${index}" tabindex="-1"${markOf(day)} title="${dateText(words, 'shortDay', day.at)}: ${daySentence(words, day)}"></a>`

/** `2 incidents, 99.95 %` */
const daySentence = (words: Words, { state, incidents, uptime, runs, failed }: Day): string => {
  const facts = [
    ...(incidents > 0 ? [countText(words, incidents, words.day.incidents), percentText(words, uptime)] : []),
    ...(failed > 0 ? [countText(words, failed, words.day.failed, runs)] : []),
  ]
  if (facts.length > 0) return facts.join(', ')
  return state === 'none' ? words.day.none : words.day.quiet
}

/** Whatever a bar may look like: a day that was lost in part is no whole red one. */
const keys = (words: Words): [mark: Html | null, word: string][] => [
  [marks.up, words.legend.up],
  [marks.degraded, words.legend.degraded],
  [html` class="${redClass(0.8)}"`, words.states.partial],
  [marks.down, words.legend.down],
  [marks.none, words.legend.none],
]

export const legend = (words: Words): Html =>
  html`<ul class="key">${keys(words).map(([mark, word]) => html`<li><span class="bars" aria-hidden="true"><a${mark}></a></span>${word}</li>`)}</ul>
<p class="rule">${words.rule}</p>`

/** What happened on each day, newest first: what the bars lead to. */
export const dayList = (words: Words, services: readonly ServiceView[]): Html => {
  const days = services[0]?.days ?? []
  return html`<details class="days"><summary>${words.days}</summary><ol>${days
    .map(
      (day, index) =>
        html`<li id="d${index}"><b>${dateText(words, 'day', day.at)}</b>${sentencesOf(words, services, index)}</li>`,
    )
    .toReversed()}</ol></details>`
}

const sentencesOf = (words: Words, services: readonly ServiceView[], index: number): Html => {
  const loud = services.flatMap(({ name, days }) => {
    const day = days[index]
    return day === undefined || day.state === 'up' || day.state === 'none' ? [] : [{ name, day }]
  })
  if (loud.length === 0) {
    const isMeasured = services.some(({ days }) => days[index]?.state === 'up')
    return html`<span class="quiet">${isMeasured ? words.day.quiet : words.day.none}</span>`
  }
  return html`<span>${loud.map(({ name, day }, at) => html`${at > 0 ? '; ' : ''}<bdi>${name}</bdi>: ${daySentence(words, day)}`)}</span>`
}
