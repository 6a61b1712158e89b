/** Where somebody is after they signed in. */
import { Type } from 'typebox'
import { findAccount } from '../../access/accounts/queries.ts'
import { findMember } from '../../access/members/queries.ts'
import { html } from '../../platform/html/html.ts'
import { factList } from '../../platform/html/section.ts'
import { type Route, route } from '../../platform/http/route.ts'
import { appPage } from './app-page.ts'

const home = route({
  method: 'GET',
  path: '/app',
  access: 'READ_ONLY',
  page: true,
  tag: 'Pages',
  summary: 'Who is signed in, and where',
  status: 200,
  responseType: 'text/html',
  response: Type.String(),
  handle: async ({ principal: { accountId, userId, role } }, app) => {
    const account = await app.db.get(findAccount, { id: accountId })
    const member = userId === null ? undefined : await app.db.get(findMember, { accountId, userId })
    const facts = factList([
      ['Signed in as', member?.name ?? member?.email ?? 'An API key'],
      ['Account', account?.name ?? ''],
      ['Role', role],
    ])
    return appPage({ title: 'Home', place: '/app', content: html`<section class="card">${facts}</section>` })
  },
})

export const homeRoutes: Route[] = [home]
