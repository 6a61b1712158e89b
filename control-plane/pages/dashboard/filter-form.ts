/** Forms that filter a page by its address: they work without a script. Pure. */
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { ours, say } from '../../platform/web/html/say.ts'

type Choice = readonly [value: string, label: Content]

/** `any`: what the empty choice is called; null: one is always chosen. */
export const selectField = (
  { name, label, any }: { name: string; label: string; any?: string | null },
  chosen: string,
  choices: readonly Choice[],
): Html =>
  html`<label>${say(label)}<select name="${name}">${any === null ? null : html`<option value="">${any === undefined ? say('any') : say(any)}</option>`}${choices.map(
    ([value, word]) =>
      html`<option value="${value}"${value === chosen ? html` selected` : null}>${ours(word)}</option>`,
  )}</select></label>`

export const textField = (name: string, label: string, value: string): Html =>
  html`<label class="wide">${say(label)}<input name="${name}" value="${value}" autocomplete="off" maxlength="200"></label>`

/** An instant in UTC, as browsers let people choose it. */
export const instantField = (name: string, label: string, value: string): Html =>
  html`<label>${say(label)}<input type="datetime-local" name="${name}" value="${value}"></label>`

/** What such a field says, in UTC; undefined: nothing, or no instant. */
export const instantIn = (text: string): number | undefined => {
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text) ? Date.parse(`${text}Z`) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}
