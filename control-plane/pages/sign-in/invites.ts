/** The page that the link of an invite leads to. */

import { Type } from 'typebox'
import { findAccount } from '../../access/accounts/queries.ts'
import { acceptInviteWithPassword, joinByInvite } from '../../access/members/accept-invite.ts'
import { findInviteByToken } from '../../access/members/invite-queries.ts'
import { findUserByEmail } from '../../access/members/queries.ts'
import { finishSignIn } from '../../access/sign-in/finish-sign-in.ts'
import { hashPassword } from '../../access/sign-in/password-hash.ts'
import { passwordError } from '../../access/sign-in/password-rule.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import type { InvitesTable } from '../../platform/store/database/tables/members.ts'
import { html } from '../../platform/web/html/html.ts'
import { sayRole } from '../../platform/web/html/role-words.ts'
import { say } from '../../platform/web/html/say.ts'
import { factList } from '../../platform/web/html/section.ts'
import { keyHash } from '../../platform/web/http/auth/auth.ts'
import { sessionOf } from '../../platform/web/http/auth/session.ts'
import { type Reply, type Route, route } from '../../platform/web/http/route.ts'
import { ApiError } from '../../platform/words/errors.ts'
import { seeOther } from './local-path.ts'
import { narrowPage } from './narrow-page.ts'
import { publicPage, visitorOf } from './public-page.ts'
import { newPasswordField, wrong } from './sign-in-page.ts'

const Token = Type.Object({ token: Type.String({ maxLength: 100 }) })

const gonePage = (): Reply<string> =>
  narrowPage({
    title: 'This invitation is over',
    status: 404,
    content: html`<p>It was accepted or withdrawn, or it is older than 30 days. Ask for a new one.</p>`,
  })

type Invite = { invite: InvitesTable; accountName: string; isKnown: boolean }

const openInvite = async (app: App, token: string): Promise<Invite | null> => {
  const invite = await app.db.get(findInviteByToken, { hash: keyHash(token) })
  if (invite === undefined || invite.expires_at <= app.clock.now()) return null
  const account = await app.db.get(findAccount, { id: invite.account_id })
  const isKnown = (await app.db.get(findUserByEmail, { email: invite.email })) !== undefined
  return { invite, accountName: account?.name ?? '', isKnown }
}

type Shown = Invite & { token: string; signedInAs: string | null; problem?: string }

const invitePage = ({ invite, accountName, isKnown, token, signedInAs, problem }: Shown): Reply<string> =>
  narrowPage({
    title: say('Join {0}', accountName),
    ...(problem === undefined ? {} : { status: 400 }),
    content: html`${wrong(problem)}${factList([
      ['E-mail', invite.email],
      ['Role', sayRole(invite.role)],
      ['Invited by', invite.inviter_email],
    ])}
${isKnown ? joinForm(token, signedInAs) : newcomerForm(token, invite.email)}`,
  })

const newcomerForm = (token: string, email: string) => html`<form method="post" action="/invites/${token}">
<label for="name">Your name</label><input id="name" name="name" autocomplete="name" maxlength="200">
<input type="hidden" name="username" autocomplete="username" value="${email}">
${newPasswordField()}
<button>Accept and sign in</button></form>`

const joinForm = (token: string, signedInAs: string | null) =>
  signedInAs === null
    ? html`<p>You have a password or key here already.</p><a class="action wide-action" href="/sign-in?next=/invites/${token}">Sign in to join</a>`
    : html`<form method="post" action="/invites/${token}"><button>Join as ${signedInAs}</button></form>`

const nameOfSession = async (
  app: App,
  headers: Readonly<Record<string, string | undefined>>,
  email: string,
): Promise<string | null> => {
  const session = await sessionOf(app, headers)
  const user = await app.db.get(findUserByEmail, { email })
  return session !== null && session.userId !== null && session.userId === user?.id ? email : null
}

const show = route({
  ...publicPage,
  method: 'GET',
  path: '/invites/:token',
  summary: 'The page of an invite',
  params: Token,
  status: 200,
  rateLimit: { requests: 30, seconds: 60 },
  handle: async ({ params: { token }, headers }, app) => {
    const opened = await openInvite(app, token)
    if (opened === null) return gonePage()
    const signedInAs = await nameOfSession(app, headers, opened.invite.email)
    return invitePage({ ...opened, token, signedInAs })
  },
})

const accept = route({
  ...publicPage,
  method: 'POST',
  path: '/invites/:token',
  summary: 'Accept an invite, and sign in',
  params: Token,
  form: true,
  body: Type.Object({
    name: Type.Optional(Type.String({ maxLength: 200 })),
    username: Type.Optional(Type.String({ maxLength: 320 })),
    password: Type.Optional(Type.String({ maxLength: 400 })),
  }),
  status: 200,
  rateLimit: { requests: 20, seconds: 60 },
  handle: async (
    { params: { token }, body, headers, address },
    app: App & HasRandomBytes & HasCipher,
  ): Promise<Reply<string>> => {
    const opened = await openInvite(app, token)
    if (opened === null) return gonePage()
    const { invite, isKnown } = opened
    const signedInAs = await nameOfSession(app, headers, invite.email)
    if (isKnown) {
      const session = await sessionOf(app, headers)
      if (signedInAs === null) return seeOther(`/sign-in?next=/invites/${token}`)
      await joinByInvite(app, { token, userId: session?.userId ?? null })
      return seeOther('/app')
    }
    const { password = '' } = body
    const problem = passwordError(password, { email: invite.email })
    if (problem !== null) return invitePage({ ...opened, token, signedInAs, problem })
    const passwordHash = await hashPassword(app, password, { address, known: invite.id })
    const member = await acceptInviteWithPassword(app, {
      token,
      name: body.name?.trim() || null,
      passwordHash,
    })
    const visitor = visitorOf(headers, address)
    const cookies = await finishSignIn(app, { userId: member.user_id, visitor, method: 'invite' })
    if (cookies === null) throw new ApiError(409, 'The membership ended meanwhile')
    return seeOther('/app', cookies)
  },
})

export const inviteRoutes: Route<App & HasCipher & HasRandomBytes>[] = [show, accept]
