/** What is around every page of who is signed in: the way between them, a search, and what was just done. */

import type { App } from '../../platform/app/app.ts'
import { currentReads } from '../../platform/store/database/read-scope.ts'
import type { Asset } from '../../platform/web/html/assets.ts'
import { documentOf, policyOf } from '../../platform/web/html/document.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { sayRole } from '../../platform/web/html/role-words.ts'
import { say } from '../../platform/web/html/say.ts'
import { style } from '../../platform/web/html/style.ts'
import { type AccountPrincipal, type Reply, reply } from '../../platform/web/http/route.ts'
import { dashboardScript } from '../assets/all.ts'
import { navigation, pagesOfPlace } from './navigation.ts'
import { countFailing } from './queries.ts'
import { type RequestContext, textOf } from './request-context.ts'
import { dashboardStyle } from './style.ts'

type DashboardPage = {
  title: Content
  /** The path of the page of the navigation that this one is, or belongs to. */
  section: string
  content: Content
  /** Beside the title. */
  actions?: Content
  /** Above the title: the way back. */
  trail?: ReadonlyArray<readonly [path: string, name: Content]>
  status?: number
  /** Whether it is fetched again when results come. */
  isLive?: boolean
  /** Beside those that all pages have. */
  styles?: readonly Html[]
  scripts?: readonly Asset[]
  /** What was looked for, and what the search keeps beside it. */
  search?: { text: string; kept: ReadonlyArray<readonly [name: string, value: string]> }
}

type FramedPage = DashboardPage & {
  /** The sentence on what was just done. */
  said?: Content | undefined
  cookie?: string | undefined
}

/** What was done, by the word in the address: no text of others is ever shown there. */
const sentences: { [said: string]: Content } = {
  created: say('Created.'),
  saved: say('Saved.'),
  deleted: say('Deleted.'),
  done: say('Done.'),
  started: say('Started.'),
  sent: say('Sent.'),
  some: say('Some could not be changed: they are as they were.'),
}

export const dashboardPage = (context: RequestContext, page: DashboardPage): Promise<Reply<string>> =>
  framedPage(context.app, context.principal, { ...page, said: sentences[textOf(context, 'said')] })

/** For pages that are no part of the dashboard's own routes, such as the profile. */
export const framedPage = async (
  { db }: Pick<App, 'db'>,
  principal: AccountPrincipal,
  page: FramedPage,
): Promise<Reply<string>> => {
  const { accountId, role, userId } = principal
  const failing = await db.get(countFailing, { accountId, atMost: mostCounted })
  const reader = { role, isUser: userId !== null }
  const styles = [style, dashboardStyle, ...(page.styles ?? [])]
  const scripts = [dashboardScript, ...(page.scripts ?? [])]
  return reply(
    documentOf({
      title: html`${page.title} · Watchpost`,
      ...{ styles, scripts },
      body: html`<a class="skip" href="#content">To the content</a>
<header class="top"><a class="brand" href="/app">${sign} Watchpost</a>
${searchForm(page.search)}
<form method="post" action="/sign-out"><span class="quiet">${sayRole(role)}</span> <button class="second small">Sign out</button></form></header>
<div class="frame">${navigation(reader, page.section, { '/app': failingMark(failing?.total ?? 0) })}
<main id="content"${page.isLive ? html` data-live="/app/events"` : null}>${trailOf(page.trail)}
<div class="head"><h1 dir="auto">${page.title}</h1><div class="actions">${page.actions ?? null}</div></div>
${page.trail === undefined ? pagesOfPlace(reader, page.section) : null}${page.said === undefined ? null : html`<p class="said" role="status">${page.said}</p>`}
${lagNote(currentReads()?.lagMs ?? 0)}${page.content}
</main></div>`,
    }),
    {
      ...(page.status === undefined ? {} : { status: page.status }),
      headers: {
        'cache-control': 'private, no-store',
        'content-security-policy': policyOf({
          ...{ styles, scripts, hasForm: true, connects: true, hasMedia: true },
        }),
        'x-frame-options': 'DENY',
        'referrer-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'x-robots-tag': 'noindex, nofollow',
      },
      ...(page.cookie === undefined ? {} : { cookies: [page.cookie] }),
    },
  )
}

/** Less is not noticed by who reads. */
const worthSayingMs = 5000

const lagNote = (lagMs: number): Html | null =>
  lagMs <= worthSayingMs
    ? null
    : html`<p class="said" role="status">${say('This page is up to {0} seconds old: the replica that it was read from is behind.', Math.ceil(lagMs / 1000))}</p>
`

const sign = html`<svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true"><circle cx="8" cy="8" r="7" fill="none" stroke="currentColor" stroke-width="2"/><path d="M4 8h2l1.500-3 2 6 1-3h1.500" fill="none" stroke="currentColor" stroke-width="1.500"/></svg>`

/** On every page: `/` leads to it, and where no script runs the browser's key of access. */
const searchForm = ({ text, kept }: DashboardPage['search'] = { text: '', kept: [] }): Html =>
  html`<form class="search" method="get" action="/app/checks" role="search">${kept.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<input type="search" name="search" value="${text}" aria-label="Search checks by name, address, tag or id" placeholder="Name, address, tag or id ( / )" accesskey="/" autocomplete="off" maxlength="200"><button class="second small">Search</button></form>`

const mostCounted = 1000

const failingMark = (total: number): Html =>
  html`<span id="failing" data-part>${
    total === 0
      ? null
      : html` <em>${total < mostCounted ? total : `${mostCounted - 1}+`}<span class="hide"> failing</span></em>`
  }</span>`

const trailOf = (trail: DashboardPage['trail'] = []): Content =>
  trail.length === 0
    ? null
    : html`<nav class="trail" aria-label="Where this is">${trail.map(([path, name]) => html`<span><a href="${path}" dir="auto">${name}</a></span>`)}</nav>`
