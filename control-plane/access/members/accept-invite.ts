/**
 * Taking an invite. Whoever holds the token proves that they were invited, not that they are somebody who is known
 * here: the inviter has seen the token too. So a token alone only ever makes a *new* user; who is a user already joins
 * with a key of theirs.
 */

import type { App } from '../../platform/app/app.ts'
import type { HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { InvitesTable } from '../../platform/store/database/tables/members.ts'
import { keyHash } from '../../platform/web/http/auth/auth.ts'
import { ApiError } from '../../platform/words/errors.ts'
import { lockAccount } from '../accounts/queries.ts'
import { newKey, storeKey } from '../api-keys/new-key.ts'
import type { ApiKeyRow } from '../api-keys/schema.ts'
import { putPassword } from '../credentials/queries.ts'
import { addMember } from './change-members.ts'
import { findInviteByToken, takeInvite } from './invite-queries.ts'
import { findUserByEmail, lockUser } from './queries.ts'
import type { MemberRow } from './schema.ts'

type Newcomer = { token: string; name: string | null; passwordHash: string }

/** By a page: a new user with a password instead of a key. @throws ApiError 404, 409, 410 */
export const acceptInviteWithPassword = (
  app: App,
  { token, name, passwordHash }: Newcomer,
): Promise<MemberRow> => {
  const now = app.clock.now()
  const userId = app.newId()
  return app.db.transaction(async (trx) => {
    const invite = await takeForNewUser(trx, token, now)
    const { account_id: accountId, email, role } = invite
    await trx.run(putPassword, { userId, hash: passwordHash, now })
    return addMember(trx, { accountId, role, now, userId, newUser: { email, name } })
  })
}

type Acceptance = { member: MemberRow; key: ApiKeyRow; rawKey: string }

/** A new user, their membership and their first key. @throws ApiError 404, 409, 410 */
export const acceptInvite = async (
  app: App & HasRandomBytes,
  { token, name }: { token: string; name: string | null },
): Promise<Acceptance> => {
  const now = app.clock.now()
  const userId = app.newId()
  const key = newKey(app)
  const accepted = await app.db.transaction(async (trx) => {
    const { account_id: accountId, email, role } = await takeForNewUser(trx, token, now)
    const member = await addMember(trx, { accountId, role, now, userId, newUser: { email, name } })
    const holder = { kind: 'user', accountId, userId, role, name: 'First key', now } as const
    return { member, key: await storeKey(trx, key, holder) }
  })
  return { ...accepted, rawKey: key.rawKey }
}

/** The membership of a user who is known already. @throws ApiError 403, 404, 409, 410 */
export const joinByInvite = (
  app: App,
  { token, userId }: { token: string; userId: string | null },
): Promise<MemberRow> => {
  const now = app.clock.now()
  if (userId === null) throw new ApiError(403, 'A service key has no user who could join')
  return app.db.transaction(async (trx) => {
    const { account_id: accountId, email, role } = await take(trx, token, now)
    const user = await trx.get(lockUser, { id: userId })
    if (user?.email !== email) throw new ApiError(403, 'The invite is for another e-mail')
    return addMember(trx, { accountId, role, now, userId, newUser: null })
  })
}

const takeForNewUser = async (trx: Db, token: string, now: number): Promise<InvitesTable> => {
  const invite = await take(trx, token, now)
  if (await trx.get(findUserByEmail, { email: invite.email }))
    throw new ApiError(409, 'Somebody with this e-mail is a user already: join with a key of that user')
  return invite
}

const take = async (trx: Db, token: string, now: number): Promise<InvitesTable> => {
  const hash = keyHash(token)
  const seen = await trx.get(findInviteByToken, { hash })
  if (!seen) throw noInvite()
  await trx.get(lockAccount, { id: seen.account_id })
  if (seen.expires_at <= now) throw new ApiError(410, 'The invite has expired: ask for a new one')
  if ((await trx.run(takeInvite, { id: seen.id, hash })) === 0) throw noInvite()
  return seen
}

const noInvite = (): ApiError => new ApiError(404, 'No such invite.')
