/** A new password by mail. */

import { Type } from 'typebox'
import { askForLink, mailsAreSent } from '../../access/sign-in/forgotten-password.ts'
import { type Route, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { publicPage } from './public-page.ts'
import { forgottenPage, forgottenSentPage } from './sign-in-page.ts'

const show = route({
  ...publicPage,
  method: 'GET',
  path: '/sign-in/forgotten',
  summary: 'The page to ask for a new password on',
  status: 200,
  handle: (_, app) => {
    if (!mailsAreSent(app)) throw notFound()
    return forgottenPage()
  },
})

const send = route({
  ...publicPage,
  method: 'POST',
  path: '/sign-in/forgotten',
  summary: 'Ask for a mail with a link',
  form: true,
  body: Type.Object({ email: Type.String({ maxLength: 320 }) }),
  status: 200,
  rateLimit: { requests: 10, seconds: 900 },
  handle: ({ body: { email } }, app) => {
    if (!mailsAreSent(app)) throw notFound()
    askForLink(app, email)
    return forgottenSentPage()
  },
})

export const forgottenRoutes: Route[] = [show, send]
