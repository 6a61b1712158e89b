/** How values are written where they stand in a webhook, by a name that can be sent to another thread. Pure. */
import { escapeHtml } from '../../../protocol/escape-html.ts'
import { uriEncode } from '../../../protocol/templates/encodings.ts'

export type Encoding = (text: string) => string

const asIs: Encoding = (text) => text
const withinJson: Encoding = (text) => JSON.stringify(text).slice(1, -1)

export const encodings = {
  plain: asIs,
  uri: uriEncode,
  json: withinJson,
  html: escapeHtml,
  /** Telegram reads HTML out of the form. */
  htmlInForm: (text: string) => uriEncode(escapeHtml(text)),
} as const satisfies Record<string, Encoding>

export type EncodingName = keyof typeof encodings
