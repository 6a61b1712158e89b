/** Invites: made by e-mail and role, mailed, taken with a token that is shown once. They wait 30 days. */

import type { App } from '../../platform/app/app.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { HasLocales } from '../../platform/web/html/locales.ts'
import { keyHash } from '../../platform/web/http/auth/auth.ts'
import type { AccountPrincipal } from '../../platform/web/http/route.ts'
import { ApiError, notFound } from '../../platform/words/errors.ts'
import { findAccount, lockAccount } from '../accounts/queries.ts'
import { mailInvite } from './invite-mail.ts'
import { deleteInvite, findInviteByEmail, insertInvite, renewInvite } from './invite-queries.ts'
import { findMember, findUserByEmail, ownersOfAccount } from './queries.ts'
import type { InviteRow } from './schema.ts'

const inviteLifeMs = 30 * 24 * 60 * 60 * 1000

export type WithToken = { invite: InviteRow; token: string; now: number }

const newToken = (app: App & HasRandomBytes): string => `wi_${app.randomBytes(32).toString('base64url')}`

type Invitation = { principal: AccountPrincipal; email: string; role: string }

/** @throws ApiError 409 for a member and for an invite that still waits */
export const createInvite = async (
  app: App & HasCipher & HasLocales & HasRandomBytes,
  invitation: Invitation,
): Promise<WithToken> => {
  const { principal, role } = invitation
  const { accountId } = principal
  const email = invitation.email.toLowerCase()
  const now = app.clock.now()
  const token = newToken(app)
  const id = app.newId()
  const invite = await app.db.transaction(async (trx) => {
    const account = await trx.get(lockAccount, { id: accountId })
    await requireNew(trx, { accountId, email, now })
    const row = {
      id,
      account_id: accountId,
      email,
      role,
      inviter_email: await inviterOf(trx, principal),
      token_hash: keyHash(token),
      created_at: now,
      updated_at: now,
      expires_at: now + inviteLifeMs,
    }
    await trx.run(insertInvite, row)
    await mailInvite(trx, app, { invite: row, token, now, accountName: account?.name ?? '' })
    return row
  })
  return { invite, token, now }
}

/** A new token and 30 more days; the old token ends. @throws ApiError 404 */
export const renew = async (
  app: App & HasCipher & HasLocales & HasRandomBytes,
  { accountId, id }: { accountId: string; id: string },
): Promise<WithToken> => {
  const now = app.clock.now()
  const token = newToken(app)
  const change = { id, accountId, tokenHash: keyHash(token), expiresAt: now + inviteLifeMs, now }
  const invite = await app.db.transaction(async (trx) => {
    const account = await trx.get(findAccount, { id: accountId })
    const row = await trx.get(renewInvite, change)
    if (!row) throw notFound()
    await mailInvite(trx, app, { invite: row, token, now, accountName: account?.name ?? '' })
    return row
  })
  return { invite, token, now }
}

type InviteRequest = { accountId: string; email: string; now: number }

/** An invite that has expired makes room. */
const requireNew = async (trx: Db, { accountId, email, now }: InviteRequest): Promise<void> => {
  const user = await trx.get(findUserByEmail, { email })
  if (user && (await trx.get(findMember, { accountId, userId: user.id })))
    throw new ApiError(409, 'Somebody with this e-mail is a member already')
  const invite = await trx.get(findInviteByEmail, { accountId, email })
  if (!invite) return
  if (invite.expires_at > now) throw new ApiError(409, 'An invite for this e-mail waits already')
  await trx.run(deleteInvite, { id: invite.id, accountId })
}

/** A service key has no user: it invites in the name of the account's first owner. */
const inviterOf = async (trx: Db, { accountId, userId }: AccountPrincipal): Promise<string> => {
  const inviter = userId === null ? undefined : await trx.get(findMember, { accountId, userId })
  const [owner] = inviter ? [inviter] : await trx.all(ownersOfAccount, { accountId })
  return owner?.email ?? ''
}
