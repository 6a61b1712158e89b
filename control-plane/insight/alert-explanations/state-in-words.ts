/** How a check is as sentences have it: `failing for 12 minutes`. Pure. */
import { responderInWords } from '../../alerting/messages/alert-response.ts'
import type { Content } from '../../platform/web/html/html.ts'
import { say, sayTold } from '../../platform/web/html/say.ts'
import { lasted } from '../../platform/web/html/words.ts'

type Words = { alone: Content; lasting: (since: Content) => Content }

const words: { readonly [state: string]: Words } = {
  failing: { alone: say('failing'), lasting: (since) => say('failing for {0}', since) },
  degraded: { alone: say('degraded'), lasting: (since) => say('degraded for {0}', since) },
  passing: { alone: say('passing'), lasting: (since) => say('passing for {0}', since) },
  unknown: { alone: say('unknown'), lasting: (since) => say('unknown for {0}', since) },
}

/** `ms`: since when; null: that is not known, or all is well. */
export const stateFor = (state: string, ms: number | null): Content => {
  const { alone, lasting } = words[state] ?? { alone: state, lasting: () => state }
  return ms === null ? alone : lasting(lasted(ms))
}

/** Who answered an alert: a name, or in the reader's language who has none. */
export const sayResponder = (by: string): Content => {
  const responder = responderInWords(by)
  return typeof responder === 'string' ? responder : sayTold(responder)
}
