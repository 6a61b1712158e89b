/** The way over a provider of identities and back. */

import { Type } from 'typebox'
import { finishSignIn } from '../../access/sign-in/finish-sign-in.ts'
import { beginOidc, identityOf } from '../../access/sign-in/oidc.ts'
import type { HasOidc } from '../../access/sign-in/oidc-settings.ts'
import { admitAttempt } from '../../access/sign-in/sign-in-limit.ts'
import { stepCookie, stepIn } from '../../access/sign-in/step-cookie.ts'
import { userOfIdentity } from '../../access/sign-in/user-of-identity.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasOutgoing } from '../../platform/services/outgoing/outgoing.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import { type Route, route } from '../../platform/web/http/route.ts'
import { localPath, seeOther } from './local-path.ts'
import { knownHere, publicPage, visitorOf } from './public-page.ts'
import { signInPage } from './sign-in-page.ts'

const begin = route({
  ...publicPage,
  method: 'GET',
  path: '/sign-in/oidc',
  summary: 'To the provider of identities',
  query: Type.Object({ next: Type.Optional(Type.String()) }),
  status: 303,
  rateLimit: { requests: 60, seconds: 60 },
  handle: async ({ query }, app: App & HasCipher & HasOidc & HasOutgoing) => {
    const { url, step } = await beginOidc(app, localPath(query.next))
    return seeOther(url, [stepCookie(app, step)])
  },
})

const maybe = Type.Optional(Type.String({ maxLength: 4000 }))

const comeBack = route({
  ...publicPage,
  method: 'GET',
  path: '/sign-in/oidc/callback',
  summary: 'Back from the provider of identities',
  query: Type.Object({ code: maybe, state: maybe, iss: maybe, error: maybe, error_description: maybe }),
  status: 200,
  rateLimit: { requests: 60, seconds: 60 },
  handle: async (
    { query, headers, address },
    app: App & HasOidc & HasCipher & HasRandomBytes & HasOutgoing,
  ) => {
    const step = stepIn(app, headers, 'oidc')
    if (step === null) return seeOther('/sign-in')
    admitAttempt(app, { address, account: null, known: knownHere(app, headers, null) })
    const next = localPath(step.next)
    const given = Object.entries(query).filter(
      (pair): pair is [string, string] => typeof pair[1] === 'string',
    )
    const identity = await identityOf(app, { query: new URLSearchParams(given).toString(), step })
    if (identity === null)
      return signInPage(app, { next, problem: 'The provider did not let you in.', status: 401 })
    const userId = await userOfIdentity(app, identity)
    const visitor = visitorOf(headers, address)
    const cookies = userId === null ? null : await finishSignIn(app, { userId, visitor, method: 'oidc' })
    if (cookies === null)
      return signInPage(app, {
        next,
        problem: 'Nobody invited you here, and none of your groups has a role.',
        status: 403,
      })
    return seeOther(next, cookies)
  },
})

export const oidcRoutes: Route<App & HasCipher & HasOidc & HasOutgoing & HasRandomBytes>[] = [begin, comeBack]
