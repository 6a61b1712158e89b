/** Changes to who belongs to an account, one at a time per account: the rules look at everybody in it. */

import type { App } from '../../platform/app/app.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { membershipsOfUser } from '../../platform/web/http/auth/auth-queries.ts'
import type { AccountPrincipal } from '../../platform/web/http/route.ts'
import { ApiError, notFound } from '../../platform/words/errors.ts'
import type { Role } from '../../platform/words/shapes/roles.ts'
import { lockAccount } from '../accounts/queries.ts'
import { revokeKeysOfMember } from '../api-keys/queries.ts'
import { forgetUser } from '../credentials/forget-user.ts'
import {
  deleteMembership,
  deleteUser,
  findMember,
  insertMembership,
  insertUser,
  lockUser,
  ownersOfAccount,
  updateRole,
} from './queries.ts'
import type { MemberRow } from './schema.ts'

type Target = { principal: AccountPrincipal; userId: string }

/** @throws ApiError 403, 404, 409 */
export const changeRole = (
  app: App,
  { principal, userId, role }: Target & { role: Role },
): Promise<MemberRow> => {
  const { accountId } = principal
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    await requireChangeable(trx, { principal, userId })
    await trx.run(updateRole, { accountId, userId, role, now })
    return memberOf(trx, accountId, userId)
  })
}

/** The member's keys end with the membership, and the user with their last one. @throws ApiError 403, 404, 409 */
export const removeMember = (app: App, { principal, userId }: Target): Promise<void> => {
  const { accountId } = principal
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    await requireChangeable(trx, { principal, userId })
    await trx.get(lockUser, { id: userId })
    await trx.run(deleteMembership, { accountId, userId })
    await trx.run(revokeKeysOfMember, { accountId, userId, now })
    const others = await trx.all(membershipsOfUser, { userId })
    if (others.length > 0) return
    await forgetUser(trx, userId)
    await trx.run(deleteUser, { id: userId })
  })
}

type Transfer = Target & { stayOwner: boolean }

/** Makes a member an owner; the caller becomes ADMIN unless they stay one. @throws ApiError 404, 409 */
export const transferOwnership = (
  app: App,
  { principal, userId, stayOwner }: Transfer,
): Promise<MemberRow> => {
  const { accountId, userId: callerId } = principal
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    await trx.get(lockAccount, { id: accountId })
    const caller = callerId === null ? principal : await memberOf(trx, accountId, callerId)
    if (caller.role !== 'OWNER') throw new ApiError(403)
    const target = await memberOf(trx, accountId, userId)
    if (target.role === 'OWNER') throw new ApiError(409, 'The member is an owner already')
    await trx.run(updateRole, { accountId, userId, role: 'OWNER', now })
    if (callerId !== null && !stayOwner)
      await trx.run(updateRole, { accountId, userId: callerId, role: 'ADMIN', now })
    return memberOf(trx, accountId, userId)
  })
}

const requireChangeable = async (trx: Db, { principal, userId }: Target): Promise<void> => {
  const { accountId } = principal
  await trx.get(lockAccount, { id: accountId })
  const member = await memberOf(trx, accountId, userId)
  const owners = await trx.all(ownersOfAccount, { accountId })
  requireMayChange(principal.role, member, owners.length)
}

/** @throws ApiError 404 */
const memberOf = async (trx: Db, accountId: string, userId: string): Promise<MemberRow> => {
  const member = await trx.get(findMember, { accountId, userId: userId.toLowerCase() })
  if (!member) throw notFound()
  return member
}

type NewMember = { accountId: string; role: string; now: number } & (
  | { userId: string; newUser: null }
  | { userId: string; newUser: { email: string; name: string | null } }
)

/**
 * Adds a user, who is made first if they are new. Hold the account's row.
 * @throws ApiError 409 when the e-mail has a user, or the user is a member
 */
export const addMember = async (
  trx: Db,
  { accountId, role, now, userId, newUser }: NewMember,
): Promise<MemberRow> => {
  if (newUser) {
    const nameSearch = newUser.name?.toLowerCase() ?? ''
    if ((await trx.run(insertUser, { id: userId, ...newUser, nameSearch, now })) === 0)
      throw new ApiError(409, 'Somebody with this e-mail is a user already')
  } else await trx.get(lockUser, { id: userId })
  if ((await trx.run(insertMembership, { accountId, userId, role, now })) === 0)
    throw new ApiError(409, 'The user is a member already')
  return memberOf(trx, accountId, userId)
}

/**
 * Whether `caller` may take `member`'s role away or give another (contract: members are ADMIN's, owners are OWNER's);
 * `ownerCount` counts the account's owners. Pure.
 * @throws ApiError 403 when an owner is changed by somebody else than an owner, 409 when the last owner would go
 */
const requireMayChange = (callerRole: Role, member: { role: string }, ownerCount: number): void => {
  if (member.role !== 'OWNER') return
  if (callerRole !== 'OWNER') throw new ApiError(403, 'Only an owner may change an owner')
  if (ownerCount <= 1) throw new ApiError(409, 'The last owner stays: transfer the ownership first')
}
