import { type Static, Type } from 'typebox'
import { checkTypes } from '../../../../protocol/check-type.ts'
import type { App } from '../../../platform/app/app.ts'
import type { HasWakeups } from '../../../platform/services/clock/wakeups.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import { offsetOf, pageParameters, pageReply } from '../../../platform/web/http/answers/offset-page.ts'
import { entityTag } from '../../../platform/web/http/request/entity-tag.ts'
import { type AccountPrincipal, type Route, reply, route } from '../../../platform/web/http/route.ts'
import { notFound } from '../../../platform/words/errors.ts'
import type { HasConsequences } from '../../outcomes/consequences.ts'
import { exportChecks } from './export-route.ts'
import { genericCheckRoutes } from './generic-routes.ts'
import { countChecks, listChecks } from './list-queries.ts'
import { readCheck } from './read-check.ts'
import { removeCheck } from './remove-check.ts'
import { Check, CheckV3, inV3 } from './schema.ts'
import { serializeChecks } from './serialize-check.ts'
import { checkTypeRoutes } from './type-routes.ts'

const tag = 'Checks'
const CheckId = Type.Object({ id: Type.String({ format: 'uuid' }) })
const id = '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11'

const applyGroupSettings = Type.Optional(
  Type.Boolean({ description: 'Show the checks as they run, with the settings of their groups' }),
)

const ListQuery = Type.Object(
  {
    ...pageParameters,
    apiCheckUrlFilterPattern: Type.Optional(
      Type.String({ maxLength: 2048, description: 'Part of the address; API checks only' }),
    ),
    tag: Type.Optional(
      Type.Array(Type.String({ maxLength: 255 }), {
        maxItems: 100,
        description: 'Any of them, on the check or on its group',
      }),
    ),
    checkType: Type.Optional(Type.Enum([...checkTypes])),
    search: Type.Optional(
      Type.String({
        maxLength: 255,
        description: 'Part of the name, the address or a tag, in any case, or the id',
      }),
    ),
    status: Type.Optional(
      Type.Enum(['passing', 'failing', 'degraded', 'unknown', 'stale', 'waiting'], {
        description: 'waiting: has not run yet, and is not paused',
      }),
    ),
    activated: Type.Optional(Type.Boolean({ description: 'false: only those that are paused' })),
    flapping: Type.Optional(
      Type.Boolean({
        description: 'true: only those that flap, where that is looked at (`alertSettings.flapping`)',
      }),
    ),
    groupId: Type.Optional(Type.Integer({ minimum: 1 })),
    sortBy: Type.Optional(
      Type.Enum(['created', 'name', 'state', 'lastRun'], {
        description:
          'created unless told otherwise; state: what fails first; lastRun: what ran last first. What is alike: oldest first',
      }),
    ),
    applyGroupSettings,
  },
  { additionalProperties: false },
)

type Asked<Q> = { query: Q; principal: AccountPrincipal }

const findChecks = async (app: App & HasCipher, { query, principal }: Asked<Static<typeof ListQuery>>) => {
  const {
    limit,
    page,
    applyGroupSettings = false,
    tag,
    sortBy = 'created',
    apiCheckUrlFilterPattern,
    ...filters
  } = query
  const filter = {
    accountId: principal.accountId,
    ...filters,
    tags: tag,
    apiUrlPart: apiCheckUrlFilterPattern,
  }
  const total = await countChecks(app.db, filter)
  const rows = await listChecks(app.db, filter, {
    limit,
    offset: offsetOf({ limit, page }),
    order: sortBy,
  })
  const items = await serializeChecks(app, rows, { principal, applyGroupSettings })
  return { items, total }
}

const ReadQuery = Type.Object(
  {
    includeDependencies: Type.Optional(Type.Boolean({ description: 'With the files of its script' })),
    applyGroupSettings,
  },
  { additionalProperties: false },
)

const one = async (
  app: App & HasCipher,
  { id, query, principal }: Asked<Static<typeof ReadQuery>> & { id: string },
) => {
  const { includeDependencies: includeFiles = false, applyGroupSettings = false } = query
  const read = await readCheck(app, id, { principal, applyGroupSettings, includeFiles })
  if (!read) throw notFound()
  return read
}

const list = (version: 'v1' | 'v2') =>
  route({
    method: 'GET',
    path: `/${version}/checks`,
    access: 'READ_ONLY',
    tag,
    summary: 'List checks, oldest first unless told otherwise',
    description: 'Without the files of their scripts.',
    query: ListQuery,
    status: 200,
    response: Type.Array(Check),
    example: { query: { limit: 20, search: 'home' } },
    handle: async ({ query, principal }, app: App & HasCipher) => {
      const found = await findChecks(app, { query, principal })
      return pageReply({ ...found, url: `${app.config.baseUrl}/${version}/checks`, query })
    },
  })

const read = (version: 'v1' | 'v2') =>
  route({
    method: 'GET',
    path: `/${version}/checks/:id`,
    access: 'READ_ONLY',
    tag,
    summary: 'One check',
    params: CheckId,
    query: ReadQuery,
    status: 200,
    response: Check,
    example: { params: { id } },
    handle: async ({ params, query, principal }, app: App & HasCipher) => {
      const { check, version } = await one(app, { id: params.id, query, principal })
      return reply(check, { headers: { etag: entityTag(version) } })
    },
  })

const ofV3 = {
  list: route({
    ...list('v2'),
    path: '/v3/checks',
    summary: 'List checks, with their intent as one list',
    access: 'READ_ONLY',
    query: ListQuery,
    response: Type.Array(CheckV3),
    handle: async ({ query, principal }, app: App & HasCipher) => {
      const { items, ...page } = await findChecks(app, { query, principal })
      return pageReply({ ...page, items: items.map(inV3), url: `${app.config.baseUrl}/v3/checks`, query })
    },
  }),
  read: route({
    ...read('v2'),
    path: '/v3/checks/:id',
    summary: 'One check, with its intent as one list',
    access: 'READ_ONLY',
    params: CheckId,
    query: ReadQuery,
    response: CheckV3,
    handle: async ({ params, query, principal }, app: App & HasCipher) => {
      const { check, version } = await one(app, { id: params.id, query, principal })
      return reply(inV3(check), { headers: { etag: entityTag(version) } })
    },
  }),
}

const listV1 = list('v1')
const readV1 = read('v1')

const remove = route({
  method: 'DELETE',
  path: '/v1/checks/:id',
  access: 'READ_WRITE',
  tag,
  summary: 'Delete a check with everything known about it',
  params: CheckId,
  status: 204,
  example: { params: { id } },
  handle: ({ params, principal }, app: App & HasConsequences & HasCipher & HasWakeups) =>
    removeCheck(app, { id: params.id, accountId: principal.accountId }),
})

export { listV1 as listChecks, readV1 as readCheck, remove as removeCheck }

export const checkRoutes: Route<App & HasCipher & HasConsequences & HasWakeups>[] = [
  ...checkTypeRoutes,
  ...genericCheckRoutes,
  exportChecks,
  listV1,
  list('v2'),
  readV1,
  read('v2'),
  ofV3.list,
  ofV3.read,
  remove,
]
