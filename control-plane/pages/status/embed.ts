/** One line for a frame of 40 pixels on sites that the owner names. */
import { documentOf, policyOf } from '../../platform/web/html/document.ts'
import { html } from '../../platform/web/html/html.ts'
import { type Document, type Site, symbolOf, symbols } from './frame.ts'
import type { PageModel } from './model.ts'
import { themeOf } from './theme.ts'

const lineStyle = html`h1{font:inherit;margin:0}body{margin:0;height:40px;display:flex;align-items:center;background:var(--card);font:15px/1.3 system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif}
a{display:flex;align-items:center;gap:8px;height:40px;padding:0 12px;color:var(--text);text-decoration:none;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}a:hover{text-decoration:underline}:focus-visible{outline:3px solid var(--link);outline-offset:-3px}
svg.i{width:18px;height:18px;flex:none;fill:var(--tone)}.v{position:absolute;clip-path:inset(50%)}
.t-unknown{--tone:var(--none)}.t-operational{--tone:var(--ok)}.t-maintenance{--tone:var(--work)}.t-degraded{--tone:var(--warn)}.t-partial,.t-major{--tone:var(--bad)}`

export const embedded = (
  { branding, state }: PageModel,
  { root, words }: Site,
  framedBy: readonly string[],
): Document => {
  const styles = [html`${themeOf(branding)}${lineStyle}`]
  const body = html`${symbols}<main><h1><a href="${root}/" target="_blank" rel="noopener">${symbolOf(state)}${words.sentences[state]}</a></h1></main>`
  return {
    text: documentOf({
      lang: words.lang,
      title: `${words.sentences[state]} · ${branding.name}`,
      styles,
      body,
    }),
    policy: policyOf({ styles, framedBy }),
  }
}
