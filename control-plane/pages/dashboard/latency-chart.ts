/** How long runs took, drawn on the server, and the same numbers as a table for who cannot see it. Pure. */
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { milliseconds } from '../../platform/web/html/words.ts'

export type Point = {
  at: number
  p50: number | null
  p95: number | null
  p99: number | null
  availability: number | null
}

const [width, height, left, bottom, top] = [760, 200, 56, 22, 8]
const lines = ['p50', 'p95', 'p99'] as const

/** The next of 1, 2 and 5 times a power of ten. */
const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)))
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power
}

export const latencyChart = (points: readonly Point[]): Content => {
  const known = points.filter(({ p50 }) => p50 !== null)
  if (known.length === 0) return html`<p class="empty">No run in this time says how long it took.</p>`
  const max = roundUp(Math.max(...known.flatMap(({ p50, p95, p99 }) => [p50 ?? 0, p95 ?? 0, p99 ?? 0])))
  const newest = known.at(-1)
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Chart of response times"><svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="Response times: at last half of the runs took ${milliseconds(newest?.p50 ?? 0)} or less, 95 of 100 ${milliseconds(newest?.p95 ?? 0)} or less. The table below has all numbers.">${gridOf(max)}${timesOf(points)}${lines.map((name) => lineOf(points, name, max))}</svg></div>
<ul class="keys"><li>${sample('p50')}half of the runs (p50)</li><li>${sample('p95')}95 of 100 (p95)</li><li>${sample('p99')}99 of 100 (p99)</li></ul>
<details><summary>The same as a table</summary><div class="scroll" tabindex="0" role="region" aria-label="Response times"><table class="list"><thead><tr><th scope="col">From</th><th scope="col" class="num">p50</th><th scope="col" class="num">p95</th><th scope="col" class="num">p99</th><th scope="col" class="num">Passed</th></tr></thead><tbody>${points.map(
    ({ at, p50, p95, p99, availability }) =>
      html`<tr><td>${instant(at)} UTC</td><td class="num">${ms(p50)}</td><td class="num">${ms(p95)}</td><td class="num">${ms(p99)}</td><td class="num">${availability === null ? '–' : `${round(availability)} %`}</td></tr>`,
  )}</tbody></table></div></details>`
}

const ms = (value: number | null): string => (value === null ? '–' : milliseconds(value))
export const round = (value: number): string => String(Math.round(value * 100) / 100)
const instant = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ')

const sample = (name: string): Html =>
  html`<svg width="26" height="6" aria-hidden="true" class="key"><path class="${name}" d="M0 3h26"/></svg>`

const y = (value: number, max: number): number => height - bottom - (value / max) * (height - bottom - top)
const x = (position: number, count: number): number =>
  left + (count < 2 ? 0.5 : position / (count - 1)) * (width - left - 8)

const gridOf = (max: number): Html[] =>
  [0, 0.5, 1].map((share) => {
    const at = y(share * max, max)
    return html`<line class="grid" x1="${left}" x2="${width}" y1="${at}" y2="${at}"/><text x="${left - 8}" y="${at + 4}" text-anchor="end">${milliseconds(share * max)}</text>`
  })

const timesOf = (points: readonly Point[]): Html[] => {
  const picks = [...new Set([0, Math.floor((points.length - 1) / 2), points.length - 1])]
  return picks.map((position, index) => {
    const anchor = index === 0 ? 'start' : index === picks.length - 1 ? 'end' : 'middle'
    return html`<text x="${x(position, points.length).toFixed(1)}" y="${height - 4}" text-anchor="${anchor}">${instant(points[position]?.at ?? 0).slice(5)}</text>`
  })
}

/** Where nothing is known the line stops, and begins again. */
const lineOf = (points: readonly Point[], name: (typeof lines)[number], max: number): Html => {
  let isOpen = false
  const steps = points.flatMap((point, position) => {
    const value = point[name]
    if (value === null) {
      isOpen = false
      return []
    }
    const step = `${isOpen ? 'L' : 'M'}${x(position, points.length).toFixed(1)} ${y(value, max).toFixed(1)}`
    // A point alone is a dot.
    const isAlone = !isOpen && (points[position + 1]?.[name] ?? null) === null
    isOpen = true
    return [isAlone ? `${step}h2` : step]
  })
  return html`<path class="${name}" d="${steps.join('')}"/>`
}
