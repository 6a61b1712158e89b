/** Why a check is not well, in the reader's language where a rule knows it (alerting/messages/reason.ts), else as it is. Pure. */
import { reasonIn } from '../../alerting/messages/reason.ts'
import type { Reason } from '../../alerting/messages/reason-of-assertion.ts'
import { type Content, html, inLocale, type Localized } from '../../platform/web/html/html.ts'
import { cut, withoutCredentials } from '../../platform/web/html/section.ts'
import { lasted } from '../../platform/web/html/words.ts'

/** `longest`: of what is shown as it is. What is no bare text is said already. */
export const saidReason = (error: Content, longest: number): Content => {
  if (typeof error !== 'string') return error
  const text = withoutCredentials(error)
  const reason = reasonIn(text)
  return reason === null ? cut(text, longest) : said(reason)
}

const said = ({ text, values }: Reason): Localized =>
  inLocale((locale) => {
    const pieces = (locale.textOf(text) ?? text).split(/\{(\d+)\}/)
    const contents = pieces.map((piece, position): Content => {
      if (position % 2 === 0) return piece
      const value = values[Number(piece)] ?? ''
      if (typeof value === 'string') return value
      return 'ms' in value ? lasted(value.ms) : said(value)
    })
    return html`${contents}`
  })
