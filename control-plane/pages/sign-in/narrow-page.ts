/** A page that asks for one thing. */
import type { Asset } from '../../platform/web/html/assets.ts'
import { documentOf, policyOf } from '../../platform/web/html/document.ts'
import { type Content, html } from '../../platform/web/html/html.ts'
import { ours } from '../../platform/web/html/say.ts'
import { style } from '../../platform/web/html/style.ts'
import { type Reply, reply } from '../../platform/web/http/route.ts'
import { formStyle } from './form-style.ts'

const styles = [style, formStyle]

type NarrowPage = {
  title: Content
  content: Content
  scripts?: readonly Asset[]
  status?: number
  cookie?: string
}

export const narrowPage = ({ title, content, scripts = [], status, cookie }: NarrowPage): Reply<string> =>
  reply(
    documentOf({
      title: html`${ours(title)} · Watchpost`,
      styles,
      scripts,
      body: html`<main class="narrow"><section class="card"><h1>${ours(title)}</h1>${content}</section></main>`,
    }),
    {
      ...(status === undefined ? {} : { status }),
      headers: {
        'cache-control': 'private, no-store',
        'content-security-policy': policyOf({ styles, scripts, hasForm: true }),
        'x-frame-options': 'DENY',
        'referrer-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      },
      ...(cookie === undefined ? {} : { cookies: [cookie] }),
    },
  )
