/** How a check is as sentences have it: `failing for 12 minutes`. Pure. */
import type { Content } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'
import { lasted } from '../../platform/web/html/words.ts'

type Words = { alone: string; lasting: string }

const words: { readonly [state: string]: Words } = {
  failing: { alone: 'failing', lasting: 'failing for {0}' },
  degraded: { alone: 'degraded', lasting: 'degraded for {0}' },
  passing: { alone: 'passing', lasting: 'passing for {0}' },
  unknown: { alone: 'unknown', lasting: 'unknown for {0}' },
}

/** `ms`: since when; null: that is not known, or all is well. */
export const stateFor = (state: string, ms: number | null): Content => {
  const { alone, lasting } = words[state] ?? { alone: state, lasting: state }
  return ms === null ? say(alone) : say(lasting, lasted(ms))
}
