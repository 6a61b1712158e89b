/** What is common to the pages of those who are signed in: the way between them, and out. */
import { Type } from 'typebox'
import type { Asset } from '../../platform/web/html/assets.ts'
import { documentOf, policyOf } from '../../platform/web/html/document.ts'
import { type Content, html } from '../../platform/web/html/html.ts'
import { ours } from '../../platform/web/html/say.ts'
import { style } from '../../platform/web/html/style.ts'
import { type Reply, reply } from '../../platform/web/http/route.ts'
import { formStyle } from '../sign-in/form-style.ts'

const styles = [style, formStyle]

const links = [
  ['/app', 'Dashboard'],
  ['/app/audit', 'Audit log'],
  ['/app/sessions', 'Sessions'],
  ['/app/profile', 'Profile'],
] as const

type AppPage = {
  title: Content
  /** The path of the place in the navigation that this page belongs to. */
  pagePath: string
  content: Content
  scripts?: readonly Asset[]
  status?: number
  cookie?: string
}

const navigation = (pagePath: string): Content =>
  links.map(
    ([path, name]) =>
      html`<a href="${path}"${path === pagePath ? html` aria-current="page"` : null}>${ours(name)}</a>`,
  )

export const appPage = ({ title, pagePath, content, scripts = [], status, cookie }: AppPage): Reply<string> =>
  reply(
    documentOf({
      title: html`${ours(title)} · Watchpost`,
      styles,
      scripts,
      body: html`<a class="skip" href="#content">To the content</a>
<header><nav class="bar-top" aria-label="Pages"><strong>Watchpost</strong>${navigation(pagePath)}
<form method="post" action="/sign-out"><button class="second small">Sign out</button></form></nav></header>
<main id="content"><h1 class="title">${ours(title)}</h1>
${content}
</main>`,
    }),
    {
      ...(status === undefined ? {} : { status }),
      headers: {
        'cache-control': 'private, no-store',
        'content-security-policy': policyOf({ styles, scripts, hasForm: true, connects: scripts.length > 0 }),
        'x-frame-options': 'DENY',
        'referrer-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      },
      ...(cookie === undefined ? {} : { cookies: [cookie] }),
    },
  )

/** What the routes of these pages have in common. */
export const appRoute = {
  access: 'READ_ONLY',
  page: true,
  tag: 'Pages',
  responseType: 'text/html',
  response: Type.String(),
} as const

/** An instant to the minute. */
export const minutes = (at: number): string =>
  `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
