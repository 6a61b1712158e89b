import { Type } from 'typebox'
import type { App } from '../../../platform/app/app.ts'
import type { HasWakeups } from '../../../platform/services/clock/wakeups.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import type { CheckGroupsTable } from '../../../platform/store/database/tables/checks.ts'
import {
  offsetOf,
  pageParameters,
  pageReply,
  searchParameter,
} from '../../../platform/web/http/answers/offset-page.ts'
import { changedMeanwhile, entityTag, ifMatchHeader } from '../../../platform/web/http/request/entity-tag.ts'
import {
  type AccountPrincipal,
  type Reply,
  type Route,
  reply,
  route,
  warningHeaders,
} from '../../../platform/web/http/route.ts'
import { notFound } from '../../../platform/words/errors.ts'
import type { HasConsequences } from '../../outcomes/consequences.ts'
import { countChecks, listChecks } from '../checks/list-queries.ts'
import { findCheckOfGroup } from '../checks/queries.ts'
import { Check } from '../checks/schema.ts'
import { scriptWarnings } from '../checks/script-warnings.ts'
import { serializeCheck, serializeChecks } from '../checks/serialize-check.ts'
import { ignoredOfGroups } from '../ignored-names.ts'
import { countGroups, findGroup, listGroups } from './queries.ts'
import { changeGroup, createGroup, type GroupBody, removeGroup } from './save-group.ts'
import { CheckGroup, GroupId, groupBodies } from './schema.ts'
import { serializeGroup, serializeGroups } from './serialize-group.ts'

const tag = 'Check groups'
const closed = { additionalProperties: false }
const exampleBody = { name: 'Shop', tags: ['shop'], locations: ['eu-west-1'], concurrency: 2 }
const params = { id: '7' }

const AutoAssign = Type.Object({
  autoAssignAlerts: Type.Boolean({
    default: true,
    description: 'A new group is subscribed to all existing alert channels; without effect on others',
  }),
})

const meaning = {
  v1: 'Superseded by v2: what is left out gets a default that acts on all checks of the group.',
  v2: 'What is left out lets the checks of the group keep their own settings.',
}

type Version = 'v1' | 'v2'
const deprecation = (version: Version) => (version === 'v1' ? { deprecated: true } : {})

const answer = async (
  app: App & HasCipher,
  row: CheckGroupsTable,
  principal: AccountPrincipal,
): Promise<Reply<CheckGroup>> =>
  reply(await serializeGroup(app, row, principal), { headers: { etag: entityTag(row.version) } })

const written = async (
  app: App & HasCipher,
  row: CheckGroupsTable,
  principal: AccountPrincipal,
): Promise<Reply<CheckGroup>> => {
  const { body, headers } = await answer(app, row, principal)
  const warnings = await scriptWarnings(app, body, row.account_id)
  if (warnings.length === 0) return reply(body, { headers: headers ?? {} })
  return reply({ ...body, warnings }, { headers: { ...headers, ...warningHeaders(warnings) } })
}

const list = route({
  method: 'GET',
  path: '/v1/check-groups',
  access: 'READ_ONLY',
  tag,
  summary: 'List check groups, oldest first',
  query: Type.Object(
    {
      ...pageParameters,
      ...searchParameter('the name or a tag'),
      tag: Type.Optional(
        Type.Array(Type.String({ maxLength: 255 }), { maxItems: 100, description: 'Any of them' }),
      ),
      name: Type.Optional(
        Type.Array(Type.String({ maxLength: 255 }), { maxItems: 100, description: 'One of them, exactly' }),
      ),
    },
    closed,
  ),
  status: 200,
  response: Type.Array(CheckGroup),
  example: { query: { limit: 20, tag: ['shop'] } },
  handle: async ({ query, principal }, app: App & HasCipher) => {
    const { limit, page, tag: tags, name: names, search } = query
    const filter = { accountId: principal.accountId, tags, names, search }
    const total = await countGroups(app.db, filter)
    const rows = await listGroups(app.db, filter, { limit, offset: offsetOf({ limit, page }) })
    const items = await serializeGroups(app, rows, principal)
    return pageReply({ items, total, url: `${app.config.baseUrl}/v1/check-groups`, query })
  },
})

const create = (version: Version) =>
  route({
    method: 'POST',
    path: `/${version}/check-groups`,
    access: 'READ_WRITE',
    tag,
    summary: 'Create a check group',
    description: meaning[version],
    ...deprecation(version),
    query: AutoAssign,
    body: groupBodies[version].New,
    ignores: ignoredOfGroups,
    status: 201,
    response: CheckGroup,
    example: { body: exampleBody },
    handle: async ({ query, body, principal }, app: App & HasCipher) => {
      const { autoAssignAlerts } = query
      const { accountId } = principal
      return written(
        app,
        await createGroup(app, { accountId, body: body as GroupBody, autoAssignAlerts }),
        principal,
      )
    },
  })

const update = (version: Version) =>
  route({
    method: 'PUT',
    path: `/${version}/check-groups/:id`,
    access: 'READ_WRITE',
    tag,
    summary: 'Change a check group',
    description: 'Only the fields that are sent change, for the group and for the runs of its checks.',
    ...deprecation(version),
    params: GroupId,
    query: AutoAssign,
    requestHeaders: ifMatchHeader,
    body: groupBodies[version].Changes,
    ignores: ignoredOfGroups,
    status: 200,
    otherStatuses: changedMeanwhile,
    response: CheckGroup,
    example: { params, body: { name: 'Shop', concurrency: 5 } },
    handle: async (
      { params, body, headers, principal },
      app: App & HasCipher & HasWakeups & HasConsequences,
    ) => {
      const row = await changeGroup(app, {
        id: params.id,
        accountId: principal.accountId,
        changes: body as GroupBody,
        ifMatch: headers['if-match'],
      })
      return written(app, row, principal)
    },
  })

const read = route({
  method: 'GET',
  path: '/v1/check-groups/:id',
  access: 'READ_ONLY',
  tag,
  summary: 'One check group',
  params: GroupId,
  status: 200,
  response: CheckGroup,
  example: { params },
  handle: async ({ params, principal }, app: App & HasCipher) => {
    const row = await app.db.get(findGroup, { id: params.id, accountId: principal.accountId })
    if (!row) throw notFound()
    return answer(app, row, principal)
  },
})

const remove = route({
  method: 'DELETE',
  path: '/v1/check-groups/:id',
  access: 'READ_WRITE',
  tag,
  summary: 'Delete an empty check group',
  params: GroupId,
  status: 204,
  otherStatuses: { 409: 'It still holds checks' },
  example: { params },
  handle: ({ params, principal }, app) => removeGroup(app, params.id, principal.accountId),
})

const listMembers = (version: Version) =>
  route({
    method: 'GET',
    path: `/${version}/check-groups/:id/checks`,
    access: 'READ_ONLY',
    tag,
    summary: 'The checks of a group with its settings applied, oldest first',
    params: GroupId,
    query: Type.Object(pageParameters, closed),
    status: 200,
    response: Type.Array(Check),
    example: { params },
    handle: async ({ params, query, principal }, app: App & HasCipher) => {
      const { accountId } = principal
      if (!(await app.db.get(findGroup, { id: params.id, accountId }))) throw notFound()
      const filter = { accountId, groupId: params.id }
      const total = await countChecks(app.db, filter)
      const rows = await listChecks(app.db, filter, { limit: query.limit, offset: offsetOf(query) })
      const items = await serializeChecks(app, rows, { principal, applyGroupSettings: true })
      const url = `${app.config.baseUrl}/${version}/check-groups/${params.id}/checks`
      return pageReply({ items, total, url, query })
    },
  })

const readMember = (version: Version) =>
  route({
    method: 'GET',
    path: `/${version}/check-groups/:groupId/checks/:checkId`,
    access: 'READ_ONLY',
    tag,
    summary: 'One check of a group with its settings applied',
    params: Type.Object({ groupId: GroupId.properties.id, checkId: Type.String({ format: 'uuid' }) }),
    status: 200,
    response: Check,
    example: { params: { groupId: '7', checkId: '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11' } },
    handle: async ({ params, principal }, app: App & HasCipher) => {
      const { groupId, checkId: id } = params
      const row = await app.db.get(findCheckOfGroup, { id, groupId, accountId: principal.accountId })
      if (!row) throw notFound()
      return serializeCheck(app, row, { principal, applyGroupSettings: true, includeFiles: true })
    },
  })

export { list as listCheckGroups, read as readCheckGroup }

export const checkGroupRoutes: Route<App & HasCipher & HasConsequences & HasWakeups>[] = [
  list,
  create('v1'),
  create('v2'),
  read,
  update('v1'),
  update('v2'),
  remove,
  listMembers('v1'),
  listMembers('v2'),
  readMember('v1'),
  readMember('v2'),
]
