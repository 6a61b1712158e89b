/** Where the time went: phases side by side, as wide as they were long. Pure. */

import { type Content, type Html, html } from '../../../platform/web/html/html.ts'
import { ours, say } from '../../../platform/web/html/say.ts'
import { section } from '../../../platform/web/html/section.ts'
import { milliseconds } from '../../../platform/web/html/words.ts'

type Phase = { name: Content; ms: number | null }

const width = 1000
/** So that a short phase can be seen at all. */
const leastWidth = 3

/** `total` may be more than its phases: that is shown as the rest. */
export const timingBar = (phases: readonly Phase[], total: number | null): Html | null => {
  const known = phases.flatMap(({ name, ms }, position) => (ms === null ? [] : [{ name, ms, position }]))
  const sum = known.reduce((all, { ms }) => all + ms, 0)
  if (known.length === 0 || sum === 0) return null
  const rest = total === null ? 0 : total - sum
  const parts =
    rest > 1 && rest > sum / 50 ? [...known, { name: say('Everything else'), ms: rest, position: 9 }] : known
  const whole = parts.reduce((all, { ms }) => all + ms, 0)
  const label = parts.map(({ name, ms }, at) => [at === 0 ? '' : ', ', ours(name), ' ', milliseconds(ms)])
  return section(
    'Timing',
    html`<svg class="bar" viewBox="0 0 ${width} 20" preserveAspectRatio="none" role="img" aria-label="${label}">${rects(parts, whole)}</svg>
<ul class="legend">${parts.map(
      ({ name, ms, position }) =>
        html`<li><i class="p${position}"></i><span>${ours(name)}</span><b>${milliseconds(ms)}</b></li>`,
    )}${total === null ? null : html`<li class="total"><span>Total</span><b>${milliseconds(total)}</b></li>`}</ul>`,
  )
}

const rects = (parts: ReadonlyArray<{ ms: number; position: number }>, whole: number): Html[] => {
  let x = 0
  return parts.map(({ ms, position }) => {
    const own = Math.max(leastWidth, (ms / whole) * width)
    const rect = html`<rect class="p${position}" x="${x.toFixed(1)}" width="${own.toFixed(1)}" height="20"/>`
    x += own
    return rect
  })
}
