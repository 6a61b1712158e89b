/**
 * Keys of the API. A *user key* acts as its user, with the user's role in each of their accounts; it dies with the
 * membership. A *service key* belongs to one account, has a role of its own and outlives whoever made it.
 */

import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import { findMembership } from '../../platform/web/http/auth/auth-queries.ts'
import type { AccountPrincipal, Route } from '../../platform/web/http/route.ts'
import { ApiError, notFound } from '../../platform/words/errors.ts'
import { meAndById } from '../accounts/me-and-by-id-routes.ts'
import { lockAccount } from '../accounts/queries.ts'
import { newKey, storeKey } from './new-key.ts'
import { keysOfMember, revokeServiceKey, revokeUserKey, serviceKeysOfAccount } from './queries.ts'
import {
  CreatedServiceKey,
  CreatedUserKey,
  NewServiceKey,
  NewUserKey,
  ServiceKey,
  serializeServiceKey,
  serializeUserKey,
  UserKey,
} from './schema.ts'

const tag = 'API keys'
const keyId = { id: Type.String({ format: 'uuid' }) }
const exampleId = '0b8d6c52-51a6-4a8e-9d3c-4f7e9a1b2c3d'
const revoked = 'A key that is deleted stops working within 5 seconds.'

/** @throws ApiError 403 for a key without a user */
const userOf = ({ userId }: AccountPrincipal): string => {
  if (userId === null) throw new ApiError(403, 'A service key has no user and so no user keys')
  return userId
}

const listUserKeys = meAndById({
  method: 'GET',
  path: '/api-keys',
  access: 'READ_ONLY',
  tag,
  summary: "The caller's own keys, oldest first",
  status: 200,
  response: Type.Array(UserKey),
  handle: async ({ principal }, app: App & HasRandomBytes) => {
    const keys = await app.db.all(keysOfMember, {
      accountId: principal.accountId,
      userId: userOf(principal),
    })
    return keys.map(serializeUserKey)
  },
})

const createUserKey = meAndById({
  method: 'POST',
  path: '/api-keys',
  access: 'READ_ONLY',
  tag,
  summary: 'Create a key for the caller',
  description: "It acts as the caller, with the caller's role at the time of each request.",
  body: NewUserKey,
  status: 201,
  response: CreatedUserKey,
  example: { body: { name: 'laptop' } },
  handle: async ({ principal, body }, app: App & HasRandomBytes) => {
    const { accountId, role } = principal
    const userId = userOf(principal)
    const key = newKey(app)
    const now = app.clock.now()
    const row = await app.db.transaction(async (trx) => {
      // A membership that ends in the same moment takes all keys with it, or there is none to make.
      await trx.get(lockAccount, { id: accountId })
      if (!(await trx.get(findMembership, { accountId, userId }))) throw new ApiError(403)
      return storeKey(trx, key, { kind: 'user', accountId, userId, role, name: body.name, now })
    })
    return { ...serializeUserKey(row), rawKey: key.rawKey }
  },
})

const deleteUserKey = meAndById({
  method: 'DELETE',
  path: '/api-keys/:id',
  access: 'READ_ONLY',
  tag,
  summary: "Delete one of the caller's own keys",
  description: revoked,
  params: keyId,
  status: 204,
  example: { params: { id: exampleId } },
  handle: async ({ principal, params }, app: App & HasRandomBytes) => {
    const { accountId } = principal
    const userId = userOf(principal)
    const now = app.clock.now()
    if ((await app.db.run(revokeUserKey, { id: params.id.toLowerCase(), accountId, userId, now })) === 0)
      throw notFound()
  },
})

const listServiceKeys = meAndById({
  method: 'GET',
  path: '/service-keys',
  access: 'ADMIN',
  tag,
  summary: 'Service keys of the account, oldest first',
  status: 200,
  response: Type.Array(ServiceKey),
  handle: async ({ principal: { accountId } }, app: App & HasRandomBytes) =>
    (await app.db.all(serviceKeysOfAccount, { accountId })).map(serializeServiceKey),
})

const createServiceKey = meAndById({
  method: 'POST',
  path: '/service-keys',
  access: 'ADMIN',
  tag,
  summary: 'Create a service key',
  body: NewServiceKey,
  status: 201,
  response: CreatedServiceKey,
  example: { body: { name: 'deploy pipeline', role: 'READ_RUN' } },
  handle: async ({ principal: { accountId }, body }, app: App & HasRandomBytes) => {
    const key = newKey(app)
    const now = app.clock.now()
    const row = await app.db.transaction((trx) =>
      storeKey(trx, key, { kind: 'service', accountId, userId: null, ...body, now }),
    )
    return { ...serializeServiceKey(row), rawKey: key.rawKey }
  },
})

const deleteServiceKey = meAndById({
  method: 'DELETE',
  path: '/service-keys/:id',
  access: 'ADMIN',
  tag,
  summary: 'Delete a service key',
  description: revoked,
  params: keyId,
  status: 204,
  example: { params: { id: exampleId } },
  handle: async ({ principal: { accountId }, params }, app) => {
    const now = app.clock.now()
    if ((await app.db.run(revokeServiceKey, { id: params.id.toLowerCase(), accountId, now })) === 0)
      throw notFound()
  },
})

export const [listOwnUserKeys] = listUserKeys
export const [listOwnServiceKeys] = listServiceKeys

export const apiKeyRoutes: Route<App & HasRandomBytes>[] = [
  ...listUserKeys,
  ...createUserKey,
  ...deleteUserKey,
  ...listServiceKeys,
  ...createServiceKey,
  ...deleteServiceKey,
]
