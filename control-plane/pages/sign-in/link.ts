/** The page of a link that is good once: a password is chosen there. */

import { Type } from 'typebox'
import { findUser } from '../../access/credentials/queries.ts'
import { findUserByEmail } from '../../access/members/queries.ts'
import { openLink, ownerEmail, usePasswordLink } from '../../access/sign-in/links.ts'
import { hashPassword } from '../../access/sign-in/password-hash.ts'
import { passwordError } from '../../access/sign-in/password-rule.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import { type Reply, type Route, route } from '../../platform/web/http/route.ts'
import { afterProof } from './after-proof.ts'
import { publicPage, visitorOf } from './public-page.ts'
import { goneLinkPage, linkPage } from './sign-in-page.ts'

const Token = Type.Object({ token: Type.String({ maxLength: 100 }) })
const address = /^[^\s@]{1,64}@[^\s@]+\.[^\s@]+$/

const show = route({
  ...publicPage,
  method: 'GET',
  path: '/sign-in/first/:token',
  summary: 'The page of a link that is good once',
  params: Token,
  status: 200,
  rateLimit: { requests: 30, seconds: 60 },
  handle: async ({ params: { token } }, app) => {
    const link = await openLink(app, token)
    const user = link === null ? undefined : await app.db.get(findUser, { userId: link.user_id })
    if (user === undefined) return goneLinkPage()
    const asksAddress = user.email === ownerEmail
    return linkPage({ token, asksAddress, email: asksAddress ? '' : user.email })
  },
})

/** What the owner of a first start says of themselves, or what is wrong with it. */
const addressError = async (app: App, email: string): Promise<string | null> => {
  if (!address.test(email)) return 'This is not an e-mail address.'
  return (await app.db.get(findUserByEmail, { email })) === undefined
    ? null
    : 'Somebody here has this e-mail address already.'
}

const use = route({
  ...publicPage,
  method: 'POST',
  path: '/sign-in/first/:token',
  summary: 'Choose a password, and sign in',
  params: Token,
  form: true,
  body: Type.Object({
    name: Type.Optional(Type.String({ maxLength: 200 })),
    email: Type.Optional(Type.String({ maxLength: 320 })),
    username: Type.Optional(Type.String({ maxLength: 320 })),
    password: Type.Optional(Type.String({ maxLength: 400 })),
  }),
  status: 200,
  rateLimit: { requests: 30, seconds: 60 },
  handle: async (
    { params: { token }, body, headers, address: from },
    app: App & HasRandomBytes & HasCipher,
  ): Promise<Reply<string>> => {
    const link = await openLink(app, token)
    const user = link === null ? undefined : await app.db.get(findUser, { userId: link.user_id })
    if (link === null || user === undefined) return goneLinkPage()
    const asksAddress = user.email === ownerEmail
    const email = asksAddress ? (body.email ?? '').trim().toLowerCase() : user.email
    const { password = '' } = body
    const problem =
      (asksAddress ? await addressError(app, email) : null) ?? passwordError(password, { email })
    if (problem !== null) return linkPage({ token, asksAddress, email, problem })
    const passwordHash = await hashPassword(app, password, { address: from, known: link.hash })
    const own = asksAddress ? { email, name: body.name?.trim() || user.name } : null
    if (!(await usePasswordLink(app, { link, passwordHash, address: own }))) return goneLinkPage()
    const proof = { userId: user.id, next: '/app', visitor: visitorOf(headers, from), method: 'link' }
    return (await afterProof(app, proof)) ?? goneLinkPage()
  },
})

export const linkRoutes: Route<App & HasCipher & HasRandomBytes>[] = [show, use]
