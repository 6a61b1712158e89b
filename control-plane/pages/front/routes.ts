import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import { localTimes } from '../../platform/web/html/assets.ts'
import { page, wantsPage } from '../../platform/web/html/html-page.ts'
import { sessionOf } from '../../platform/web/http/auth/session.ts'
import { type Route, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { clientLinks } from './client-links.ts'
import { frontPage } from './front-page.ts'
import { readFront } from './read-front.ts'

const front = route({
  method: 'GET',
  path: '/',
  access: 'PUBLIC',
  tag: 'Pages',
  summary: 'The first page: what this is, whether it is well, and where to go on',
  description:
    'For browsers (`Accept: text/html`); there is nothing here for programs, which begin at `/openapi.json`.',
  status: 200,
  otherStatuses: { 404: 'It was not asked for as HTML' },
  responseType: 'text/html',
  response: Type.String(),
  otherTypes: { errors: ['text/html'] },
  rateLimit: { requests: 120, seconds: 60 },
  handle: async ({ headers }, app: App & HasCipher) => {
    if (!wantsPage(headers)) throw notFound()
    const session = await sessionOf(app, headers)
    const facts = await readFront(app, session)
    return page({ title: 'Watchpost', content: frontPage(facts), scripts: [localTimes] })
  },
})

export const frontRoutes: Route<App & HasCipher>[] = [front, ...clientLinks]
