import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import type { VariablesTable } from '../../platform/store/database/tables/configuration.ts'
import { offsetOf, pageParameters, pageReply } from '../../platform/web/http/answers/offset-page.ts'
import {
  changedMeanwhile,
  entityTag,
  ifMatchHeader,
  requireVersion,
} from '../../platform/web/http/request/entity-tag.ts'
import { type Reply, type Route, reply, route } from '../../platform/web/http/route.ts'
import { ApiError, invalid, notFound, violation } from '../../platform/words/errors.ts'
import { recordNames } from '../../platform/words/shapes/ignored-names.ts'
import { toIso, toIsoOrNull } from '../../platform/words/shapes/instants.ts'
import { type Role, roles, type Sight } from '../../platform/words/shapes/roles.ts'
import { noteAccountChange } from '../changes/note-change.ts'
import {
  countVariables,
  deleteVariable,
  findVariable,
  insertVariable,
  listVariables,
  lockVariable,
  updateVariable,
} from './queries.ts'
import { NewVariable, Variable, VariableChanges, VariableKey } from './schema.ts'
import { openValue, sealValue } from './sealed-value.ts'

/** `key` only if it is that of the address. */
const ignored = [...recordNames, { path: 'key', only: 'in the address' }] as const

const tag = 'Variables'
const example = {
  key: 'SHOP_URL',
  value: 'https://shop.example.com',
  locked: false,
  secret: false,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: null,
}
const params = { key: 'SHOP_URL' }

const readsLocked = (role: Role): boolean => roles.indexOf(role) >= roles.indexOf('READ_WRITE')

const present = (row: VariablesTable, value: string | null): Variable => ({
  key: row.key,
  value,
  locked: row.locked,
  secret: row.secret,
  created_at: toIso(row.created_at),
  updated_at: toIsoOrNull(row.updated_at),
})

/** The value as the caller may see it: secrets only where the account has chosen so, locked ones from READ_WRITE. */
const visible = (
  app: App & HasCipher,
  row: VariablesTable,
  { role, seesSecrets = false }: Sight,
): Variable => {
  const isHidden = (row.secret && !seesSecrets) || (row.locked && !readsLocked(role))
  return present(row, isHidden ? null : openValue(app.cipher, row))
}

const tagged = (row: VariablesTable, body: Variable): Reply<Variable> =>
  reply(body, { headers: { etag: entityTag(row.version) } })

const list = route({
  method: 'GET',
  path: '/v1/variables',
  access: 'READ_ONLY',
  tag,
  summary: 'List variables, oldest first',
  query: Type.Object(pageParameters, { additionalProperties: false }),
  status: 200,
  response: Type.Array(Variable),
  example: { query: { limit: 20 }, response: [example] },
  handle: async ({ query, principal }, app: App & HasCipher) => {
    const { accountId } = principal
    const total = await countVariables(app.db, accountId)
    const rows = await app.db.all(listVariables, { accountId, limit: query.limit, offset: offsetOf(query) })
    const items = rows.map((row) => visible(app, row, principal))
    return pageReply({ items, total, url: `${app.config.baseUrl}/v1/variables`, query })
  },
})

const create = route({
  method: 'POST',
  path: '/v1/variables',
  access: 'READ_WRITE',
  tag,
  summary: 'Create a variable',
  description: 'The answer is the only place where the value of a secret variable appears.',
  body: NewVariable,
  ignores: ignored,
  status: 201,
  otherStatuses: { 409: 'The key is taken' },
  response: Variable,
  example: { body: { key: example.key, value: example.value }, response: example },
  handle: async ({ body, principal }, app: App & HasCipher) => {
    const variableKey = { account_id: principal.accountId, key: body.key }
    const row = {
      ...variableKey,
      value: sealValue(app.cipher, variableKey, body.value),
      locked: body.locked ?? false,
      secret: body.secret ?? false,
      created_at: app.clock.now(),
      updated_at: null,
      version: 1,
    }
    const inserted = await app.db.transaction(async (trx) => {
      const count = await trx.run(insertVariable, row)
      await noteAccountChange(trx, { accountId: row.account_id, now: row.created_at })
      return count
    })
    if (inserted === 0) throw new ApiError(409, 'A variable with this key exists already')
    return tagged(row, present(row, body.value))
  },
})

const read = route({
  method: 'GET',
  path: '/v1/variables/:key',
  access: 'READ_ONLY',
  tag,
  summary: 'One variable',
  params: VariableKey,
  status: 200,
  response: Variable,
  example: { params, response: example },
  handle: async ({ params, principal }, app: App & HasCipher) => {
    const { accountId } = principal
    const row = await app.db.get(findVariable, { accountId, key: params.key })
    if (!row) throw notFound()
    return tagged(row, visible(app, row, principal))
  },
})

const update = route({
  method: 'PUT',
  path: '/v1/variables/:key',
  access: 'READ_WRITE',
  tag,
  summary: 'Change a variable',
  description:
    'The answer echoes the value that was sent; null keeps the one that is stored. A secret variable stays secret, whatever `secret` says.',
  params: VariableKey,
  requestHeaders: ifMatchHeader,
  body: VariableChanges,
  ignores: ignored,
  status: 200,
  otherStatuses: changedMeanwhile,
  response: Variable,
  example: { params, body: { value: example.value, locked: true }, response: { ...example, locked: true } },
  handle: async ({ params, body, headers, principal }, app: App & HasCipher) => {
    const { accountId } = principal
    const variableKey = { account_id: accountId, key: params.key }
    const now = app.clock.now()
    const row = await app.db.transaction(async (trx) => {
      const before = await trx.get(lockVariable, { accountId, key: params.key })
      if (!before) throw notFound()
      requireVersion(headers['if-match'], before.version)
      if (body.value === '' && openValue(app.cipher, before) !== '') throw emptied()
      const after = {
        ...before,
        value: body.value === null ? before.value : sealValue(app.cipher, variableKey, body.value),
        locked: body.locked ?? before.locked,
        secret: before.secret || body.secret === true,
        updated_at: now,
        version: before.version + 1,
      }
      await trx.run(updateVariable, after)
      await noteAccountChange(trx, { accountId, now })
      return after
    })
    return tagged(row, body.value === null ? visible(app, row, principal) : present(row, body.value))
  },
})

const emptied = () => invalid([violation('value', 'minLength', 'must NOT have fewer than 1 characters')])

const remove = route({
  method: 'DELETE',
  path: '/v1/variables/:key',
  access: 'READ_WRITE',
  tag,
  summary: 'Delete a variable',
  params: VariableKey,
  status: 204,
  example: { params },
  handle: async ({ params, principal: { accountId } }, app: App & HasCipher) => {
    const now = app.clock.now()
    await app.db.transaction(async (trx) => {
      if ((await trx.run(deleteVariable, { accountId, key: params.key })) === 0) throw notFound()
      await noteAccountChange(trx, { accountId, now })
    })
  },
})

export { list as listVariables }

export const variableRoutes: Route<App & HasCipher>[] = [list, create, read, update, remove]
