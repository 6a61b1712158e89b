/**
 * Whose identity it is. Who came before is known by issuer and subject; who comes first, by an e-mail that the provider has proven. With a mapping
 * of groups the role follows them at every sign-in, in the account that was there first, and whoever has none is refused; owners stay owners.
 */
import type { App } from '../../platform/app/app.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { type Role, roles } from '../../platform/words/shapes/roles.ts'
import { firstAccount, lockAccount } from '../accounts/queries.ts'
import { findIdentity, insertIdentity } from '../credentials/queries.ts'
import { addMember } from '../members/change-members.ts'
import { findMember, findUserByEmail, updateRole } from '../members/queries.ts'
import type { Identity } from './oidc.ts'
import type { HasOidc, OidcSettings } from './oidc-settings.ts'

/** The strongest of their groups' roles. Pure. */
export const roleOfGroups = (
  { roleOfGroup }: Pick<OidcSettings, 'roleOfGroup'>,
  groups: readonly string[],
): Role | null => {
  const given = [...groups, '*'].flatMap((group) => roleOfGroup?.get(group) ?? [])
  return roles.findLast((role) => given.includes(role)) ?? null
}

/** The user's id; null: the person is no user here and may not become one. */
export const userOfIdentity = async (app: App & HasOidc, identity: Identity): Promise<string | null> => {
  const { oidc } = app.config
  if (oidc === null) return null
  const role = roleOfGroups(oidc, identity.groups)
  if (oidc.roleOfGroup !== null && role === null) return null
  const now = app.clock.now()
  const newId = app.newId()
  return app.db.transaction(async (trx) => {
    const account = await trx.get(firstAccount, {})
    if (account === undefined) return null
    await trx.get(lockAccount, { id: account.id })
    const known = await knownUser(trx, identity)
    const userId = known ?? (role === null || identity.email === null ? null : newId)
    if (userId === null) return null
    if (role !== null) await applyRole(trx, { accountId: account.id, userId, role, now, identity, known })
    const { issuer, subject } = identity
    await trx.run(insertIdentity, { issuer, subject, userId, now })
    return userId
  })
}

const knownUser = async (trx: Db, { issuer, subject, email }: Identity): Promise<string | null> => {
  const row = await trx.get(findIdentity, { issuer, subject })
  if (row !== undefined) return row.user_id
  const user = email === null ? undefined : await trx.get(findUserByEmail, { email })
  return user?.id ?? null
}

type Membership = {
  accountId: string
  userId: string
  role: Role
  now: number
  identity: Identity
  known: string | null
}

const applyRole = async (
  trx: Db,
  { accountId, userId, role, now, identity, known }: Membership,
): Promise<void> => {
  const member = await trx.get(findMember, { accountId, userId })
  if (member === undefined) {
    const newUser = known === null ? { email: identity.email ?? '', name: identity.name } : null
    await addMember(
      trx,
      newUser === null
        ? { accountId, role, now, userId, newUser }
        : { accountId, role, now, userId, newUser },
    )
  } else if (member.role !== 'OWNER' && member.role !== role)
    await trx.run(updateRole, { accountId, userId, role, now })
}
