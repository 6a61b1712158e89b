/**
 * People of an account. A *member* is a user with a role in the account, an *invite* is a way in that waits to be taken.
 * An account always has an owner, and only owners change owners.
 */

import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import type { HasLocales } from '../../platform/web/html/locales.ts'
import type { Route } from '../../platform/web/http/route.ts'
import { meAndById } from '../accounts/me-and-by-id-routes.ts'
import { changeRole, removeMember, transferOwnership } from './change-members.ts'
import { inviteRoutes } from './invite-routes.ts'
import { listMembers } from './list-members.ts'
import { Member, MemberPage, MemberQuery, OwnershipTransfer, RoleChange, serializeMember } from './schema.ts'

const tag = 'Members'
const oneMember = { userId: Type.String({ format: 'uuid' }) }
const exampleUserId = 'b2f6a0de-3f9c-4a57-8e43-1c9d7a5e6f80'
const lastOwner = { 409: 'The last owner stays' }

const list = meAndById({
  method: 'GET',
  path: '/members',
  access: 'READ_ONLY',
  tag,
  summary: 'Members and invites',
  description: 'Members first, then invites, each oldest first. Without `limit` all of them.',
  query: MemberQuery,
  status: 200,
  response: MemberPage,
  example: { query: { search: 'ada', type: 'member', limit: 20 } },
  handle: ({ principal, query }, app) =>
    listMembers(app.db, { ...query, accountId: principal.accountId, now: app.clock.now() }),
})

const change = meAndById({
  method: 'PATCH',
  path: '/members/:userId',
  access: 'ADMIN',
  tag,
  summary: 'Change the role of a member',
  description:
    "It counts within 5 seconds. Only an owner may change an owner's role; owners are made by transfer.",
  params: oneMember,
  body: RoleChange,
  status: 200,
  otherStatuses: lastOwner,
  response: Member,
  example: { params: { userId: exampleUserId }, body: { role: 'READ_WRITE' } },
  handle: async ({ principal, params, body }, app) =>
    serializeMember(
      await changeRole(app, { principal, userId: params.userId.toLowerCase(), role: body.role }),
    ),
})

const remove = meAndById({
  method: 'DELETE',
  path: '/members/:userId',
  access: 'ADMIN',
  tag,
  summary: 'Remove a member',
  description: 'Their keys of the account stop working within 5 seconds. Only an owner may remove an owner.',
  params: oneMember,
  status: 204,
  otherStatuses: lastOwner,
  example: { params: { userId: exampleUserId } },
  handle: ({ principal, params }, app) =>
    removeMember(app, { principal, userId: params.userId.toLowerCase() }),
})

const transfer = meAndById({
  method: 'POST',
  path: '/transfer-ownership',
  access: 'OWNER',
  tag,
  summary: 'Make a member the owner',
  description: 'The caller becomes an admin, or stays an owner beside the new one.',
  body: OwnershipTransfer,
  status: 200,
  otherStatuses: { 404: 'The user is not a member', 409: 'The member is an owner already' },
  response: Member,
  example: { body: { userId: exampleUserId } },
  handle: async ({ principal, body }, app) =>
    serializeMember(
      await transferOwnership(app, {
        principal,
        userId: body.userId.toLowerCase(),
        stayOwner: body.stayOwner,
      }),
    ),
})

export const [listOwnMembers] = list

export const memberRoutes: Route<App & HasCipher & HasLocales & HasRandomBytes>[] = [
  ...list,
  ...change,
  ...remove,
  ...transfer,
  ...inviteRoutes,
]
