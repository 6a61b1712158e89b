/** The figures of a check that is run: numbers, the chart with its strip, the days. Pure. */
import type { CheckType } from '../../../protocol/check-type.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { count, say } from '../../platform/web/html/say.ts'
import { daysInWords, milliseconds, percent } from '../../platform/web/html/words.ts'
import {
  type Day,
  type OfLocation,
  type Range,
  ranges,
  readDays,
  readFigures,
  uptimeOf,
} from './check-figures.ts'
import type { CheckState } from './check-state.ts'
import { latencyChart, type Point } from './latency-chart.ts'
import { card, table } from './parts.ts'
import { type RequestContext, textOf } from './request-context.ts'
import { round, runsInWords, shareTone, strip } from './strip.ts'

const dayMs = 86_400_000

export const rangeOf = (context: RequestContext): Range => {
  const text = textOf(context, 'range')
  return Object.hasOwn(ranges, text) ? (text as Range) : 'day'
}

export const figuresCards = async (
  context: RequestContext,
  check: { id: string; type: CheckType; createdAt: number },
  facts: CheckState,
): Promise<Content> => {
  const range = rangeOf(context)
  const days = await readDays(context, check)
  const hasLocations = facts.places.all.length > 1
  const { latest, points, locations } = await readFigures(context, check, { range, days, hasLocations })
  return [
    numbers([
      [share(latest.availability), say('passed, 24 h')],
      ...([7, 30, 90] as const).map(
        (count): Number => [share(uptimeOf(days, count)), say('passed, {0} d', count)],
      ),
      [inMs(timeOf(facts)), say('last run')],
      [inMs(latest.mean), say('mean, 24 h')],
      [inMs(latest.p95), say('p95, 24 h')],
      ...certificate(facts),
    ]),
    chartCard(check.id, { range, points, locations, names: facts.names }),
    daysCard(check, days),
  ]
}

type Number = readonly [value: Content, label: Content]

const share = (value: number | null): Content => (value === null ? '–' : percent(round(value)))
const inMs = (value: number | null): Content => (value === null ? '–' : milliseconds(value))

const timeOf = ({ newest }: CheckState): number | null =>
  newest === null || newest.hasErrors || newest.isCancelled ? null : newest.responseTime

const certificate = ({ status }: CheckState): Number[] => {
  const days = status?.sslDaysRemaining ?? null
  if (days === null) return []
  return [
    days < 1
      ? [daysInWords(days), say('certificate')]
      : [count(days, { one: '# day', other: '# days' }), say('certificate')],
  ]
}

const numbers = (all: readonly Number[]): Html =>
  html`<ul class="numbers" id="numbers" data-part>${all.map(([value, label]) => html`<li><b>${value}</b> <span>${label}</span></li>`)}</ul>`

type Chart = {
  range: Range
  points: readonly Point[]
  locations: readonly OfLocation[]
  names: CheckState['names']
}

const failedAt =
  (id: string, range: Range) =>
  (from: number, to: number): string =>
    `/app/checks/${id}?${range === 'day' ? '' : `range=${range}&`}outcome=failed&from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}#results`

const chartCard = (id: string, { range, points, locations, names }: Chart): Html =>
  html`<section class="card" id="figures" data-part><div class="bar-of"><h2>Response time</h2><nav class="segments" aria-label="Time">${(
    Object.keys(ranges) as Range[]
  ).map(
    (name) =>
      html`<a href="/app/checks/${id}?range=${name}#figures" title="${say(ranges[name].words)}"${name === range ? html` aria-current="true"` : null}>${say(ranges[name].word)}</a>`,
  )}</nav></div>${latencyChart(points, failedAt(id, range))}${locationTable(locations, names)}</section>`

const locationTable = (locations: readonly OfLocation[], names: CheckState['names']): Html | null =>
  locations.length < 2
    ? null
    : html`<h3>By location</h3>${table<OfLocation>(
        'By location',
        [
          { label: 'Location', kind: 'main', cell: ({ location }) => names(location) },
          { label: 'Median', kind: 'num', cell: ({ p50 }) => inMs(p50) },
          { label: 'p95', kind: 'num', cell: ({ p95 }) => inMs(p95) },
          { label: 'Passed', kind: 'num', cell: ({ availability }) => share(availability) },
        ],
        locations,
        '',
      )}`

const daysCard = ({ id, createdAt }: { id: string; createdAt: number }, days: readonly Day[]): Html => {
  const firstRun = days.find(({ runs }) => runs > 0)?.at ?? Number.POSITIVE_INFINITY
  const begins = Math.min(Math.floor(createdAt / dayMs) * dayMs, firstRun)
  const before = days.filter(({ at }) => at < begins).length
  const failing = days.filter(({ availability }) => (availability ?? 100) < 100).length
  const link = failedAt(id, 'day')
  const bars = days.map(({ at, availability, runs }) => ({
    at,
    isDay: true,
    tone: at < begins ? 'before' : shareTone(availability),
    words: at < begins ? say('before this check') : dayWords(availability, runs),
    href: (availability ?? 100) < 100 ? link(at, at + dayMs) : null,
  }))
  const known = days.some(({ runs }) => runs > 0)
  return card(
    say('{0} days', days.length),
    html`${strip(bars)}<p class="quiet">${
      known
        ? html`${share(uptimeOf(days, days.length))} of the runs passed; ${failing === 0 ? say('no day had failures') : count(failing, { one: '# day with failures', other: '# days with failures' })}${before === 0 ? null : html`; ${count(before, { one: 'the first day was before this check', other: 'the first # days were before this check' })}`}. Days are those of UTC, the newest is on the right.`
        : say('No runs yet.')
    }</p>`,
    'days',
  )
}

const dayWords = (availability: number | null, runs: number): Content => {
  if (availability === null) return say('no runs')
  return runsInWords(runs, Math.round((runs * (100 - availability)) / 100))
}
