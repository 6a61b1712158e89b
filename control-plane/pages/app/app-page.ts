/** What is common to the pages on whoever is signed in, beside the frame that all pages have. */
import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { Asset } from '../../platform/web/html/assets.ts'
import { type Content, html } from '../../platform/web/html/html.ts'
import { ours } from '../../platform/web/html/say.ts'
import type { AccountPrincipal, Reply } from '../../platform/web/http/route.ts'
import { framedPage } from '../dashboard/frame.ts'

type AppPage = {
  title: Content
  /** The path of the page of the navigation that this one is, or belongs to. */
  pagePath: string
  content: Content
  scripts?: readonly Asset[]
  status?: number
  cookie?: string
}

export const appPage = (
  app: Pick<App, 'db'>,
  principal: AccountPrincipal,
  { pagePath, content, title, ...page }: AppPage,
): Promise<Reply<string>> =>
  framedPage(app, principal, {
    ...page,
    title: ours(title),
    section: pagePath,
    styles: [ownStyle],
    content: html`<div class="own">${content}</div>`,
  })

const ownStyle = html`
.own{max-width:860px}
.own label{display:block;font-weight:500;font-size:14px;margin-top:12px}
.own .hint{display:block;font-weight:400;font-size:13px;color:var(--quiet)}
.own input:not([type=checkbox]):not([type=radio]){display:block;width:100%;max-width:420px;margin-top:4px}
.own .card button{margin-top:12px}
.own .row{border:0;padding:0;margin:0;display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center;justify-content:space-between}
.own .row button{margin:0}
.own .list{list-style:none;padding:0}
.own .list>li{padding:12px 0;border-top:1px solid var(--line)}
.own .list>li:first-child{border-top:0}
.own button:not(.second,.danger){background:#1657c4;color:#fff}
.wrong{background:var(--fail-back);color:var(--fail);border-radius:8px;padding:10px 14px;margin-bottom:14px}
.done{background:var(--good-back);color:var(--good);border-radius:8px;padding:10px 14px;margin-bottom:16px}
.qr{display:block;width:200px;height:200px;background:#fff;padding:12px;border-radius:8px;margin:12px 0}
.codes{columns:2;list-style:none;padding:0;font-family:ui-monospace,Menlo,Consolas,monospace;margin-top:10px}
.own .skip{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);left:auto}
`

/** What the routes of these pages have in common. */
export const appRoute = {
  access: 'READ_ONLY',
  page: true,
  tag: 'Pages',
  responseType: 'text/html',
  response: Type.String(),
} as const
