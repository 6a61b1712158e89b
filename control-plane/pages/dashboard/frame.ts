/** What is around every page of the dashboard: the way between them, and what was just done. */
import type { Asset } from '../../platform/web/html/assets.ts'
import { documentOf, policyOf } from '../../platform/web/html/document.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { style } from '../../platform/web/html/style.ts'
import { type Reply, reply } from '../../platform/web/http/route.ts'
import { dashboardScript, icon } from '../assets/all.ts'
import { type RequestContext, textOf } from './request-context.ts'
import { dashboardStyle } from './style.ts'

const common = { styles: [style, dashboardStyle], scripts: [dashboardScript] }

const filesOf = ({ own }: DashboardPage) =>
  own === undefined
    ? common
    : { styles: [...common.styles, own.style], scripts: [...common.scripts, own.script] }

type Section = readonly [path: string, name: string]

const sections: ReadonlyArray<readonly [group: string, ...of: Section[]]> = [
  [
    'Watch',
    ['/app', 'Overview'],
    ['/app/checks', 'Checks'],
    ['/app/groups', 'Groups'],
    ['/app/check-sessions', 'Sessions'],
    ['/app/errors', 'Errors'],
  ],
  [
    'Tell',
    ['/app/incidents', 'Incidents'],
    ['/app/maintenance', 'Maintenance'],
    ['/app/status-pages', 'Status pages'],
    ['/app/channels', 'Channels'],
  ],
  [
    'Set up',
    ['/app/locations', 'Locations'],
    ['/app/variables', 'Variables'],
    ['/app/snippets', 'Snippets'],
    ['/app/certificates', 'Certificates'],
    ['/app/bundles', 'Code bundles'],
  ],
  [
    'Account',
    ['/app/members', 'Members'],
    ['/app/keys', 'Keys'],
    ['/app/account', 'Settings'],
    ['/app/audit', 'Audit log'],
    ['/app/data', 'Data'],
    ['/app/profile', 'Profile'],
  ],
]

type DashboardPage = {
  title: string
  /** The path of the place in the navigation that this page belongs to. */
  section: string
  content: Content
  /** Beside the title. */
  actions?: Content
  /** Above the title: the way back. */
  trail?: readonly Section[]
  status?: number
  /** Whether it is fetched again when results come. */
  isLive?: boolean
  /** What only this kind of page needs, beside what all have. */
  own?: { style: Html; script: Asset }
}

/** What was done, by the word in the address: no text of others is ever shown there. */
const sentences: { [said: string]: string } = {
  created: 'Created.',
  saved: 'Saved.',
  deleted: 'Deleted.',
  done: 'Done.',
  started: 'Started.',
  sent: 'Sent.',
  some: 'Some could not be changed: they are as they were.',
}

export const dashboardPage = (context: RequestContext, page: DashboardPage): Reply<string> =>
  reply(
    documentOf({
      title: `${page.title} · Watchpost`,
      ...filesOf(page),
      head: html`<link rel="icon" href="${icon.path}">`,
      body: html`<a class="skip" href="#content">To the content</a>
<header class="top"><a class="brand" href="/app"><svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true"><circle cx="8" cy="8" r="7" fill="none" stroke="currentColor" stroke-width="2"/><path d="M4 8h2l1.500-3 2 6 1-3h1.500" fill="none" stroke="currentColor" stroke-width="1.500"/></svg> Watchpost</a>
<form method="post" action="/sign-out"><span class="quiet">${roleWords[context.principal.role]}</span> <button class="second small">Sign out</button></form></header>
<div class="frame">${navigation(page.section)}
<main id="content"${page.isLive ? html` data-live="/app/events"` : null}>${trail(page.trail)}
<div class="head"><h1>${page.title}</h1><div class="actions">${page.actions ?? null}</div></div>
${said(context)}
${page.content}
</main></div>`,
    }),
    { ...(page.status === undefined ? {} : { status: page.status }), headers: headersOf(page) },
  )

const headersOf = (page: DashboardPage): Record<string, string> => ({
  'cache-control': 'private, no-store',
  'content-security-policy': policyOf({
    ...filesOf(page),
    hasForm: true,
    connects: true,
    hasMedia: true,
  }),
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow',
})

const roleWords = {
  READ_ONLY: 'May look',
  READ_RUN: 'May look and run',
  READ_WRITE: 'May change',
  ADMIN: 'Admin',
  OWNER: 'Owner',
}

const navigation = (current: string): Html =>
  html`<nav class="side" aria-label="Pages">${sections.map(
    ([group, ...of]) =>
      html`<div><h2>${group}</h2><ul>${of.map(
        ([path, name]) =>
          html`<li><a href="${path}"${path === current ? html` aria-current="page"` : null}>${name}</a></li>`,
      )}</ul></div>`,
  )}</nav>`

const trail = (sections: readonly Section[] = []): Content =>
  sections.length === 0
    ? null
    : html`<nav class="trail" aria-label="Where this is">${sections.map(([path, name]) => html`<span><a href="${path}">${name}</a></span>`)}</nav>`

const said = (context: RequestContext): Content => {
  const sentence = sentences[textOf(context, 'said')]
  return sentence === undefined ? null : html`<p class="said" role="status">${sentence}</p>`
}
