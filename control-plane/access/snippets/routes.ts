import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import { nextNumber } from '../../platform/store/database/counters.ts'
import type { SnippetsTable } from '../../platform/store/database/tables/configuration.ts'
import { offsetOf, pageParameters, pageReply } from '../../platform/web/http/answers/offset-page.ts'
import {
  changedMeanwhile,
  entityTag,
  ifMatchHeader,
  requireVersion,
} from '../../platform/web/http/request/entity-tag.ts'
import { type Reply, type Route, reply, route, warningHeaders } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { always, recordNames } from '../../platform/words/shapes/ignored-names.ts'
import { toIso, toIsoOrNull } from '../../platform/words/shapes/instants.ts'
import { noteAccountChange } from '../changes/note-change.ts'
import {
  countSnippets,
  deleteSnippet,
  findSnippet,
  insertSnippet,
  listSnippets,
  lockSnippet,
  updateSnippet,
} from './queries.ts'
import { type HasUsers, requireUnused } from './require-unused.ts'
import { NewSnippet, Snippet } from './schema.ts'
import { type HasSnippetParser, snippetWarnings } from './snippet-warnings.ts'

const tag = 'Snippets'
const SnippetId = Type.Object({ id: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) })

const exampleBody = { name: 'sign-in', script: "request.headers['X-Trace'] = 'watchpost'" }
const example = {
  id: 12,
  ...exampleBody,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: null,
}

const ignored = [...recordNames, ...always('warnings')]

const present = (row: SnippetsTable): Snippet => ({
  id: row.id,
  name: row.name,
  script: row.script,
  created_at: toIso(row.created_at),
  updated_at: toIsoOrNull(row.updated_at),
})

const tagged = (row: SnippetsTable): Reply<Snippet> =>
  reply(present(row), { headers: { etag: entityTag(row.version) } })

const written = async (app: App & HasSnippetParser, row: SnippetsTable): Promise<Reply<Snippet>> => {
  const { body, headers } = tagged(row)
  const warnings = await snippetWarnings(app, row.script, row.account_id)
  if (warnings.length === 0) return reply(body, { headers: headers ?? {} })
  return reply({ ...body, warnings }, { headers: { ...headers, ...warningHeaders(warnings) } })
}

const list = route({
  method: 'GET',
  path: '/v1/snippets',
  access: 'READ_ONLY',
  tag,
  summary: 'List snippets, oldest first',
  query: Type.Object(pageParameters, { additionalProperties: false }),
  status: 200,
  response: Type.Array(Snippet),
  example: { query: { limit: 20 }, response: [example] },
  handle: async ({ query, principal: { accountId } }, app) => {
    const total = await countSnippets(app.db, accountId)
    const rows = await app.db.all(listSnippets, { accountId, limit: query.limit, offset: offsetOf(query) })
    return pageReply({ items: rows.map(present), total, url: `${app.config.baseUrl}/v1/snippets`, query })
  },
})

const create = route({
  method: 'POST',
  path: '/v1/snippets',
  access: 'READ_WRITE',
  tag,
  summary: 'Create a snippet',
  description: 'Where no agent could parse it, `warnings` and the header `Watchpost-Warning` name the line.',
  body: NewSnippet,
  ignores: ignored,
  status: 201,
  response: Snippet,
  example: { body: exampleBody, response: example },
  handle: async ({ body, principal }, app: App & HasSnippetParser) => {
    const now = app.clock.now()
    const row = await app.db.transaction(async (trx) => {
      const id = await nextNumber(trx, 'snippet')
      const snippet = {
        id,
        account_id: principal.accountId,
        ...body,
        created_at: now,
        updated_at: null,
        version: 1,
      }
      await trx.run(insertSnippet, snippet)
      await noteAccountChange(trx, { accountId: principal.accountId, now })
      return snippet
    })
    return written(app, row)
  },
})

const read = route({
  method: 'GET',
  path: '/v1/snippets/:id',
  access: 'READ_ONLY',
  tag,
  summary: 'One snippet',
  params: SnippetId,
  status: 200,
  response: Snippet,
  example: { params: { id: '12' }, response: example },
  handle: async ({ params, principal }, app) => {
    const row = await app.db.get(findSnippet, { id: params.id, accountId: principal.accountId })
    if (!row) throw notFound()
    return tagged(row)
  },
})

const update = route({
  method: 'PUT',
  path: '/v1/snippets/:id',
  access: 'READ_WRITE',
  tag,
  summary: 'Replace a snippet',
  params: SnippetId,
  requestHeaders: ifMatchHeader,
  body: NewSnippet,
  ignores: ignored,
  status: 200,
  otherStatuses: changedMeanwhile,
  response: Snippet,
  example: { params: { id: '12' }, body: exampleBody, response: example },
  handle: async ({ params, body, headers, principal: { accountId } }, app: App & HasSnippetParser) => {
    const now = app.clock.now()
    const row = await app.db.transaction(async (trx) => {
      const before = await trx.get(lockSnippet, { id: params.id, accountId })
      if (!before) throw notFound()
      requireVersion(headers['if-match'], before.version)
      const after = { ...before, ...body, updated_at: now, version: before.version + 1 }
      await trx.run(updateSnippet, after)
      await noteAccountChange(trx, { accountId, now })
      return after
    })
    return written(app, row)
  },
})

const remove = route({
  method: 'DELETE',
  path: '/v1/snippets/:id',
  access: 'READ_WRITE',
  tag,
  summary: 'Delete a snippet',
  description: 'Refused while a check or check group uses it as setup or teardown.',
  params: SnippetId,
  status: 204,
  otherStatuses: { 409: 'A check or check group uses it' },
  example: { params: { id: '12' } },
  handle: async ({ params, principal: { accountId } }, app: App & HasUsers) => {
    const now = app.clock.now()
    await app.db.transaction(async (trx) => {
      if ((await trx.run(deleteSnippet, { id: params.id, accountId })) === 0) throw notFound()
      requireUnused(await app.lookups.usersOf(trx, accountId, { snippetId: params.id }))
      await noteAccountChange(trx, { accountId, now })
    })
  },
})

export { list as listSnippets }

export const snippetRoutes: Route<App & HasUsers & HasSnippetParser>[] = [list, create, read, update, remove]
