/** Addresses in sentences of people (runbooks in descriptions) as links: http and https only, without credentials. Pure. */
import { type Content, html } from '../../platform/web/html/html.ts'

const address = /https?:\/\/[^\s<>"'`]+/gi
/** What ends a sentence ends the address before it. */
const ending = /[.,;:!?)\]}]+$/

export const linkedText = (text: string): Content => {
  const parts: Content[] = []
  let from = 0
  for (const match of text.matchAll(address)) {
    const found = match[0].replace(ending, '')
    const url = URL.parse(found)
    if (url === null || url.username !== '' || url.password !== '') continue
    parts.push(
      text.slice(from, match.index),
      html`<a href="${url.href}" rel="noopener noreferrer">${found}</a>`,
    )
    from = match.index + found.length
  }
  return [...parts, text.slice(from)]
}
