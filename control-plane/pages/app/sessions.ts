/** The browsers in which somebody is signed in, and how they end. */
import { Type } from 'typebox'
import { endOtherSessions, endOwnSession, ownSessions } from '../../access/sessions/own-sessions.ts'
import type { UserSessionsTable } from '../../platform/store/database/tables/user-sessions.ts'
import { html } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'
import { utc } from '../../platform/web/html/utc.ts'
import { type Route, route } from '../../platform/web/http/route.ts'
import { seeOther } from '../sign-in/local-path.ts'
import { appPage, appRoute } from './app-page.ts'

const pagePath = '/app/sessions'

const rowOf = (session: UserSessionsTable, current: string | undefined) => html`<li><div class="row"><div>
<strong>${session.browser === '' ? say('A program') : session.browser}</strong>
<p class="quiet">${session.address} · since ${utc(session.created_at)} · last used ${utc(session.used_at)}${session.api_key_id === null ? null : say(' · by API key')}</p></div>
${
  session.id === current
    ? html`<span class="pill passing">This browser</span>`
    : html`<form method="post" action="${pagePath}/${session.id}/end"><button class="second small">End<span class="skip"> the session of ${session.address}</span></button></form>`
}</div></li>`

const list = route({
  ...appRoute,
  method: 'GET',
  path: pagePath,
  summary: 'Where somebody is signed in',
  status: 200,
  handle: async ({ principal }, app) => {
    const sessions = await ownSessions(app, principal)
    return appPage(app, principal, {
      title: 'Sessions',
      pagePath,
      content: html`<section class="card"><p>A session ends 12 hours after its last use, and after 30 days. One that you do not know: end it, and choose a new password.</p>
<ul class="list">${sessions.map((session) => rowOf(session, principal.sessionId))}</ul>
${sessions.length < 2 ? null : html`<form method="post" action="${pagePath}/end-others"><button class="danger">End all but this one</button></form>`}</section>`,
    })
  },
})

const end = route({
  ...appRoute,
  method: 'POST',
  path: `${pagePath}/:id/end`,
  summary: 'End a session',
  params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
  form: true,
  body: Type.Object({}),
  status: 303,
  handle: async ({ params, principal }, app) => {
    await endOwnSession(app, principal, params.id)
    return seeOther(pagePath)
  },
})

const endOthers = route({
  ...appRoute,
  method: 'POST',
  path: `${pagePath}/end-others`,
  summary: 'End all sessions but this one',
  form: true,
  body: Type.Object({}),
  status: 303,
  handle: async ({ principal }, app) => {
    await endOtherSessions(app, principal)
    return seeOther(pagePath)
  },
})

export const sessionRoutes: Route[] = [list, end, endOthers]
