/** The latest runs of a check in one line: what failed stands out by its height as well as by its colour. Pure. */
import { type Html, html } from '../../platform/web/html/html.ts'
import { counted } from '../../platform/web/html/words.ts'

type Shown = 'failing' | 'degraded' | 'unknown' | 'passing' | 'none'

const shownRuns = 30
const step = 4
const height = 22
const tops: { [S in Shown]: number } = { failing: 0, degraded: 4, unknown: 14, passing: 7, none: 19 }
const names = Object.keys(tops) as Shown[]

/** The oldest first; places for runs that have not been are empty. */
export const runStrip = (states: readonly Exclude<Shown, 'none'>[]): Html => {
  const marks: Shown[] = [
    ...Array.from({ length: Math.max(0, shownRuns - states.length) }, (): Shown => 'none'),
    ...states.slice(-shownRuns),
  ]
  const paths = names.map((name) => {
    const places = marks.flatMap((mark, at) => (mark === name ? [at] : []))
    if (places.length === 0) return null
    const path = places.map((at) => `M${at * step + 2} ${tops[name]}V${height}`).join('')
    return html`<path class="r-${name}" d="${path}"/>`
  })
  return html`<svg class="runs" viewBox="0 0 ${shownRuns * step} ${height}" width="${shownRuns * step}" height="${height}" role="img" aria-label="${inWords(states)}">${paths}</svg>`
}

const inWords = (states: readonly Shown[]): string => {
  if (states.length === 0) return 'No run yet'
  const bad = (['failing', 'degraded', 'unknown'] as const).flatMap((name) => {
    const count = states.filter((state) => state === name).length
    return count === 0 ? [] : [`${count} ${name}`]
  })
  return `Latest ${counted(states.length, 'run')}: ${bad.length === 0 ? 'all passing' : bad.join(', ')}`
}
