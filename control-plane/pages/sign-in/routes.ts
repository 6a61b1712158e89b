/** Signing in and out. */
import { Type } from 'typebox'
import { signInWithKey } from '../../access/sign-in/sign-in-with-key.ts'
import { type Reply, type Route, reply, route } from '../../platform/http/route.ts'
import { clearedCookie, endSession, sessionOf } from '../../platform/http/session.ts'
import { localPath } from './local-path.ts'
import { signInPage } from './sign-in-page.ts'

const tag = 'Sign-in'

/** Never kept, whatever lies between. */
export const seeOther = (location: string, cookie?: string): Reply<string> =>
  reply('', {
    status: 303,
    headers: {
      location,
      'cache-control': 'private, no-store',
      ...(cookie === undefined ? {} : { 'set-cookie': cookie }),
    },
  })

const show = route({
  method: 'GET',
  path: '/sign-in',
  access: 'PUBLIC',
  tag,
  summary: 'The page to sign in on',
  query: Type.Object({ next: Type.Optional(Type.String()) }),
  status: 200,
  responseType: 'text/html',
  response: Type.String(),
  handle: ({ query }) => signInPage({ next: localPath(query.next) }),
})

const signIn = route({
  method: 'POST',
  path: '/sign-in',
  access: 'PUBLIC',
  tag,
  summary: 'Sign in with an API key',
  form: true,
  body: Type.Object({
    next: Type.Optional(Type.String({ maxLength: 2000 })),
    key: Type.Optional(Type.String({ maxLength: 200 })),
  }),
  status: 200,
  responseType: 'text/html',
  response: Type.String(),
  rateLimit: { requests: 60, seconds: 60 },
  handle: async ({ body, headers, address }, app) => {
    const next = localPath(body.next)
    const visitor = { address, browser: headers['user-agent'] ?? '' }
    const cookie = await signInWithKey(app, body.key ?? '', visitor)
    if (cookie === null) return signInPage({ next, problem: 'This key opens nothing here.', status: 401 })
    return seeOther(next, cookie)
  },
})

const signOut = route({
  method: 'POST',
  path: '/sign-out',
  access: 'PUBLIC',
  tag,
  summary: 'End the session of this browser',
  form: true,
  body: Type.Object({}),
  status: 303,
  responseType: 'text/html',
  response: Type.String(),
  handle: async ({ headers }, app) => {
    const session = await sessionOf(app, headers)
    if (session !== null) await endSession(app, session.sessionId)
    return seeOther('/sign-in', clearedCookie(app))
  },
})

export const signInRoutes: Route[] = [show, signIn, signOut]
