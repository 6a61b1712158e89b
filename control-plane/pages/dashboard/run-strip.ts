/** The latest runs of a check in one line: what failed stands out by its height as well as by its colour. Pure. */
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { count, listed, say } from '../../platform/web/html/say.ts'

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
    const path = isSolid(name) ? linesAlong(marks, name) : linesUp(marks, name)
    return path === '' ? null : html`<path class="r-${name}" d="${path}"/>`
  })
  return html`<svg class="runs" viewBox="0 0 ${shownRuns * step} ${height}" role="img" aria-label="${inWords(states)}">${paths}</svg>`
}

/** Those are drawn as one dashed line as thick as the bars are tall (style.ts), which takes a tenth of the text of a line each. */
const isSolid = (name: Shown): boolean => name !== 'degraded' && name !== 'unknown'

const linesAlong = (marks: readonly Shown[], name: Shown): string => {
  const middle = (tops[name] + height) / 2
  return marks
    .flatMap((mark, at) => {
      if (mark !== name || marks[at - 1] === name) return []
      const end = marks.findIndex((other, place) => place > at && other !== name)
      const length = ((end === -1 ? marks.length : end) - at) * step - 1
      return [`M${at * step + 0.5} ${middle}h${length}`]
    })
    .join('')
}

const linesUp = (marks: readonly Shown[], name: Shown): string =>
  marks.flatMap((mark, at) => (mark === name ? [`M${at * step + 2} ${tops[name]}V${height}`] : [])).join('')

const badWords = { failing: '{0} failing', degraded: '{0} degraded', unknown: '{0} unknown' } as const

const inWords = (states: readonly Shown[]): Content => {
  if (states.length === 0) return say('No run yet')
  const bad = (['failing', 'degraded', 'unknown'] as const).flatMap((name) => {
    const runs = states.filter((state) => state === name).length
    return runs === 0 ? [] : [say(badWords[name], runs)]
  })
  const latest = count(states.length, { one: 'Latest # run', other: 'Latest # runs' })
  return [latest, ': ', bad.length === 0 ? say('all passing') : listed(bad)]
}
