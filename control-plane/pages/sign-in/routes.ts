/** Signing in and out. */

import { Type } from 'typebox'
import { isSecondFactor } from '../../access/credentials/second-factor.ts'
import { finishSignIn } from '../../access/sign-in/finish-sign-in.ts'
import type { HasOidc } from '../../access/sign-in/oidc-settings.ts'
import { userOfPasskey } from '../../access/sign-in/passkeys.ts'
import { admitAttempt, codeAccount } from '../../access/sign-in/sign-in-limit.ts'
import { signInWithKey, type Visitor } from '../../access/sign-in/sign-in-with-key.ts'
import { userOfPassword } from '../../access/sign-in/sign-in-with-password.ts'
import { stepIn } from '../../access/sign-in/step-cookie.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasOutgoing } from '../../platform/services/outgoing/outgoing.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import type { Content } from '../../platform/web/html/html.ts'
import { count, say } from '../../platform/web/html/say.ts'
import { clearedCookie, endSession, sessionOf } from '../../platform/web/http/auth/session.ts'
import { type Reply, type Route, route } from '../../platform/web/http/route.ts'
import { ApiError } from '../../platform/words/errors.ts'
import { afterProof } from './after-proof.ts'
import { forgottenRoutes } from './forgotten.ts'
import { inviteRoutes } from './invites.ts'
import { linkRoutes } from './link.ts'
import { localPath, seeOther } from './local-path.ts'
import { oidcRoutes } from './oidc.ts'
import { knownHere, publicPage, visitorOf } from './public-page.ts'
import { codePage, signInPage } from './sign-in-page.ts'

const show = route({
  ...publicPage,
  method: 'GET',
  path: '/sign-in',
  summary: 'The page to sign in on',
  query: Type.Object({ next: Type.Optional(Type.String()) }),
  status: 200,
  handle: ({ query }, app: App & HasOidc & HasCipher) => signInPage(app, { next: localPath(query.next) }),
})

type Form = {
  next: string
  headers: Readonly<Record<string, string | undefined>>
  key?: string | undefined
  email?: string | undefined
  password?: string | undefined
}

const withKey = async (
  app: App & HasOidc & HasRandomBytes & HasCipher,
  { next, headers, key = '' }: Form,
  visitor: Visitor,
): Promise<Reply<string>> => {
  const known = knownHere(app, headers, null)
  const cookie = await signInWithKey(app, { key, known }, visitor)
  if (cookie === null) return signInPage(app, { next, problem: 'This key opens nothing here.', status: 401 })
  return seeOther(next, [cookie])
}

const withPassword = async (
  app: App & HasOidc & HasCipher & HasRandomBytes,
  form: Form,
  visitor: Visitor,
): Promise<Reply<string>> => {
  const { next, headers, email = '', password = '' } = form
  const asker = { address: visitor.address, known: knownHere(app, headers, email) }
  const userId = await userOfPassword(app, { ...asker, email, password })
  const done = userId === null ? null : await afterProof(app, { userId, next, visitor, method: 'password' })
  const problem = 'The e-mail or the password is wrong.'
  return done ?? signInPage(app, { next, email, problem, status: 401 })
}

const tooMany = (error: unknown): Content => {
  if (!(error instanceof ApiError) || (error.status !== 429 && error.status !== 503)) throw error
  const minutes = Math.ceil(Number(error.headers['retry-after']) / 60)
  return [
    say(error.message),
    '. ',
    say('Try again in {0}.', count(minutes, { one: 'a minute', other: '# minutes' })),
  ]
}

const signIn = route({
  ...publicPage,
  method: 'POST',
  path: '/sign-in',
  summary: 'Sign in',
  form: true,
  body: Type.Object({
    next: Type.Optional(Type.String({ maxLength: 2000 })),
    key: Type.Optional(Type.String({ maxLength: 200 })),
    email: Type.Optional(Type.String({ maxLength: 320 })),
    password: Type.Optional(Type.String({ maxLength: 200 })),
  }),
  status: 200,
  handle: async ({ body, headers, address }, app: App & HasOidc & HasCipher & HasRandomBytes) => {
    const form = { ...body, headers, next: localPath(body.next) }
    const visitor = visitorOf(headers, address)
    try {
      return await (body.key === undefined ? withPassword(app, form, visitor) : withKey(app, form, visitor))
    } catch (error) {
      const problem = tooMany(error)
      return signInPage(app, { ...form, problem, status: (error as ApiError).status })
    }
  },
})

const askCode = route({
  ...publicPage,
  method: 'GET',
  path: '/sign-in/code',
  summary: 'The page that asks for the second factor',
  status: 200,
  handle: ({ headers }, app: App & HasCipher) =>
    stepIn(app, headers, 'code') === null ? seeOther('/sign-in') : codePage(),
})

const takeCode = route({
  ...publicPage,
  method: 'POST',
  path: '/sign-in/code',
  summary: 'Say the second factor',
  form: true,
  body: Type.Object({ code: Type.Optional(Type.String({ maxLength: 40 })) }),
  status: 200,
  handle: async ({ body, headers, address }, app: App & HasCipher & HasRandomBytes) => {
    const step = stepIn(app, headers, 'code')
    if (step === null) return seeOther('/sign-in')
    const { userId, next, method } = step
    try {
      const account = codeAccount(userId)
      admitAttempt(app, { address, account, known: knownHere(app, headers, account) })
    } catch (error) {
      return codePage(tooMany(error))
    }
    if (!(await isSecondFactor(app, { userId, code: body.code ?? '' })))
      return codePage('This code is not right, or was used already.')
    const cookies = await finishSignIn(app, {
      ...{ userId, visitor: visitorOf(headers, address), method: `${method} and code` },
    })
    return cookies === null ? seeOther('/sign-in') : seeOther(localPath(next), cookies)
  },
})

const withPasskey = route({
  ...publicPage,
  method: 'POST',
  path: '/sign-in/passkey',
  summary: 'Sign in with a passkey',
  form: true,
  body: Type.Object({
    next: Type.Optional(Type.String({ maxLength: 2000 })),
    response: Type.Optional(Type.String({ maxLength: 4000 })),
  }),
  status: 200,
  rateLimit: { requests: 30, seconds: 60 },
  handle: async ({ body, headers, address }, app: App & HasOidc & HasCipher & HasRandomBytes) => {
    const next = localPath(body.next)
    const step = stepIn(app, headers, 'passkey')
    const { response = '' } = body
    const userId = step === null ? null : await userOfPasskey(app, { challenge: step.challenge, response })
    const visitor = visitorOf(headers, address)
    const cookies = userId === null ? null : await finishSignIn(app, { userId, visitor, method: 'passkey' })
    if (cookies === null)
      return signInPage(app, { next, problem: 'This passkey opens nothing here.', status: 401 })
    return seeOther(next, cookies)
  },
})

const signOut = route({
  ...publicPage,
  method: 'POST',
  path: '/sign-out',
  summary: 'End the session of this browser',
  form: true,
  body: Type.Object({}),
  status: 303,
  handle: async ({ headers }, app: App & HasOidc) => {
    const session = await sessionOf(app, headers)
    if (session !== null) await endSession(app, session.sessionId)
    return seeOther('/sign-in', [clearedCookie(app)])
  },
})

export const signInRoutes: Route<App & HasCipher & HasOidc & HasOutgoing & HasRandomBytes>[] = [
  ...[show, signIn, askCode, takeCode, withPasskey, signOut],
  ...[...forgottenRoutes, ...linkRoutes, ...inviteRoutes, ...oidcRoutes],
]
