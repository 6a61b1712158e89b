/** How long runs took and which stretches had failures, drawn on the server; the same numbers as a list and as a table. Pure. */
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'
import { milliseconds, percent } from '../../platform/web/html/words.ts'
import { clock } from './parts.ts'
import { round, runsInWords, shareTone, strip } from './strip.ts'

export type Point = {
  at: number
  p50: number | null
  p95: number | null
  p99: number | null
  availability: number | null
  runs: number
}

const height = 100

const steps = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]
/** The next number that is easily read. */
const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)))
  return (steps.find((step) => step * power >= value) ?? 10) * power
}

/** All of the median, and of the band all but its few highest peaks: they would flatten the rest. */
const topOf = (points: readonly Point[]): number => {
  const tails = points.flatMap(({ p95 }) => p95 ?? []).toSorted((a, b) => a - b)
  const usual = tails[Math.floor((tails.length - 1) * 0.95)] ?? 0
  const highest = tails.at(-1) ?? 0
  const medians = points.map(({ p50 }) => p50 ?? 0)
  return roundUp(Math.max(highest <= usual * 2 ? highest : usual * 1.25, ...medians))
}

/** `runsAt`: where the runs of a stretch are listed. */
export const latencyChart = (
  points: readonly Point[],
  runsAt: (from: number, to: number) => string,
): Content => {
  const known = points.filter(({ p50 }) => p50 !== null)
  const newest = known.at(-1)
  if (newest === undefined) return html`<p class="empty">No run in this time says how long it took.</p>`
  const top = topOf(points)
  const isCut = known.some(({ p95 }) => (p95 ?? 0) > top)
  const first = points[0]?.at ?? 0
  const stepMs = (points[1]?.at ?? first) - first
  return html`<figure class="plot" data-chart><div class="ys" aria-hidden="true"><span>${milliseconds(top)}</span><span>${milliseconds(top / 2)}</span><span>0</span></div>
<div><svg class="chart" tabindex="0" viewBox="0 0 ${points.length} ${height}" preserveAspectRatio="none" role="img" aria-label="Response times: at last half of the runs took ${milliseconds(newest.p50 ?? 0)} or less, 95 of 100 ${milliseconds(newest.p95 ?? 0)} or less. The table below has all numbers."><path class="grid" d="M0 .5H${points.length}M0 50H${points.length}M0 99.5H${points.length}"/>${failures(points)}<path class="band" d="${bandOf(points, top)}"/><path class="p50" d="${medianOf(points, top)}"/><line class="cursor" y1="0" y2="${height}"/></svg>
${strip(
  points.map((point) => ({
    at: point.at,
    tone: shareTone(point.availability),
    words: wordsOf(point),
    href: (point.availability ?? 100) < 100 ? runsAt(point.at, point.at + stepMs) : null,
  })),
)}<p class="axis">${clock(first)}${clock(points[Math.floor(points.length / 2)]?.at ?? 0)}<span>now (<span data-zone>UTC</span>)</span></p></div>
<figcaption><output class="readout"></output><span class="keys"><span>${sample('p50')}median</span><span>${sample('band')}up to p95</span><span>${sample('failed')}runs failed</span>${isCut ? html`<span>peaks above ${milliseconds(top)} are cut</span>` : null}</span></figcaption></figure>
<details><summary>The same as a table</summary><div class="scroll" tabindex="0" role="region" aria-label="Response times"><table class="list"><thead><tr><th scope="col">From (<span data-zone>UTC</span>)</th><th scope="col" class="num">Median</th><th scope="col" class="num">p95</th><th scope="col" class="num">p99</th><th scope="col" class="num">Runs</th><th scope="col" class="num">Passed</th></tr></thead><tbody>${points.map(
    ({ at, p50, p95, p99, availability, runs }) =>
      html`<tr><td>${clock(at)}</td><td class="num">${ms(p50)}</td><td class="num">${ms(p95)}</td><td class="num">${ms(p99)}</td><td class="num">${runs}</td><td class="num">${availability === null ? '–' : percent(round(availability))}</td></tr>`,
  )}</tbody></table></div></details>`
}

const ms = (value: number | null): Content => (value === null ? '–' : milliseconds(value))

const wordsOf = ({ p50, p95, runs, availability }: Point): Content => {
  if (runs === 0 || availability === null) return say('no runs')
  const words = runsInWords(runs, Math.round((runs * (100 - availability)) / 100))
  return p50 === null ? words : html`median ${ms(p50)}, p95 ${ms(p95)}; ${words}`
}

const sample = (name: string): Html =>
  html`<svg width="22" height="10" aria-hidden="true" class="key"><path class="${name}" d="${name === 'p50' ? 'M0 5h22' : name === 'band' ? 'M0 1h22v8H0z' : 'M9 0h4v10H9z'}"/></svg>`

const y = (value: number, top: number): string =>
  (height - (Math.min(value, top) / top) * (height - 1)).toFixed(1)

/** Stretches that follow each other and are known: where nothing is known a line stops, and begins again. */
const known = (points: readonly Point[]): Array<Array<Point & { x: number }>> => {
  const parts: Array<Array<Point & { x: number }>> = [[]]
  points.forEach((point, position) => {
    if (point.p50 === null) parts.push([])
    else parts.at(-1)?.push({ ...point, x: position + 0.5 })
  })
  return parts.filter((part) => part.length > 0)
}

/** A point alone is as wide as its stretch. */
const ends = (part: ReadonlyArray<{ x: number }>): readonly [from: number, to: number] =>
  part.length === 1
    ? [(part[0]?.x ?? 0) - 0.4, (part[0]?.x ?? 0) + 0.4]
    : [part[0]?.x ?? 0, part.at(-1)?.x ?? 0]

const medianOf = (points: readonly Point[], top: number): string =>
  known(points)
    .map((part) => {
      const [from, to] = ends(part)
      const inner = part.map(({ x, p50 }) => `L${x} ${y(p50 ?? 0, top)}`).join('')
      return `M${from} ${y(part[0]?.p50 ?? 0, top)}${inner}L${to} ${y(part.at(-1)?.p50 ?? 0, top)}`
    })
    .join('')

const bandOf = (points: readonly Point[], top: number): string =>
  known(points)
    .map((part) => {
      const [from, to] = ends(part)
      const upper = part.map(({ x, p95, p50 }) => `L${x} ${y(p95 ?? p50 ?? 0, top)}`).join('')
      const lower = part.toReversed().map(({ x, p50 }) => `L${x} ${y(p50 ?? 0, top)}`)
      return `M${from} ${y(part[0]?.p50 ?? 0, top)}${upper}L${to} ${y(part.at(-1)?.p50 ?? 0, top)}${lower.join('')}Z`
    })
    .join('')

/** As high as their share of the runs. */
const failures = (points: readonly Point[]): Html => {
  const marks = points.flatMap(({ availability }, position) => {
    if (availability === null || availability >= 100) return []
    const tall = Math.max(12, height - availability).toFixed(0)
    return [`M${position + 0.3} ${height}v-${tall}h.4v${tall}z`]
  })
  return html`<path class="failed" d="${marks.join('')}"/>`
}
