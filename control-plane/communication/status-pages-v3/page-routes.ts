import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import type { StatusPagesTable } from '../../platform/store/database/tables/status-pages.ts'
import { changedMeanwhile, entityTag, ifMatchHeader } from '../../platform/web/http/request/entity-tag.ts'
import { type Reply, type Route, reply, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { cursorPage, cursorParameters, positionOf } from '../../platform/words/shapes/cursor.ts'
import { always, recordNames } from '../../platform/words/shapes/ignored-names.ts'
import { toIso, toIsoOrNull } from '../../platform/words/shapes/instants.ts'
import { changePage, createPage, removePage } from '../status-pages/save-page.ts'
import { pageDoc, StatusPageId } from '../stored-pages/page-doc.ts'
import { findPage, listPages } from '../stored-pages/queries.ts'
import {
  exampleNewPageV3,
  examplePageV3,
  NewStatusPageV3,
  StatusPageV3,
  StatusPageV3Page,
} from './page-schema.ts'

const tag = 'Status pages, version 3'
const all = '/v3/status-pages'
const one = `${all}/:statusPageId` as const
const params = StatusPageId
const oneExample = { statusPageId: examplePageV3.id }
/** Clients that deploy pages of both versions say which one. */
const ignored = [...recordNames, ...always('accountId', 'isPrivate', 'version')]
const taken = { 409: 'Another page has the `url` or `customDomain`' }

const present = (row: StatusPagesTable): StatusPageV3 => {
  const { translations: _texts, version: _version, whiteLabel: _label, ...shown } = pageDoc.read(row.doc)
  return {
    ...{ id: row.id, accountId: row.account_id, url: row.url, customDomain: row.custom_domain },
    ...shown,
    ...{ created_at: toIso(row.created_at), updated_at: toIsoOrNull(row.updated_at) },
  }
}

const tagged = (row: StatusPagesTable): Reply<StatusPageV3> =>
  reply(present(row), { headers: { etag: entityTag(row.version) } })

const list = route({
  method: 'GET',
  path: all,
  access: 'READ_ONLY',
  tag,
  summary: 'List status pages, oldest first, without what stands on them',
  query: Type.Object(cursorParameters, { additionalProperties: false }),
  status: 200,
  response: StatusPageV3Page,
  example: { query: { limit: 20 }, response: { length: 1, entries: [examplePageV3], nextId: null } },
  handle: async ({ query: { limit, nextId }, principal: { accountId } }, app) => {
    const found = await listPages(app.db, accountId, { after: positionOf(nextId), limit: limit + 1 })
    const page = cursorPage(found, limit)
    return { length: page.rows.length, entries: page.rows.map(present), nextId: page.nextId }
  },
})

const create = route({
  method: 'POST',
  path: all,
  access: 'READ_WRITE',
  tag,
  summary: 'Create a status page without components',
  description: 'It is the same page that `/v1/status-pages` reads and writes.',
  body: NewStatusPageV3,
  ignores: ignored,
  status: 201,
  otherStatuses: taken,
  response: StatusPageV3,
  example: { body: exampleNewPageV3, response: examplePageV3 },
  handle: async ({ body, principal: { accountId } }, app: App & HasRandomBytes) =>
    tagged((await createPage(app, accountId, body)).row),
})

const read = route({
  method: 'GET',
  path: one,
  access: 'READ_ONLY',
  tag,
  summary: 'One status page, without what stands on it',
  params,
  status: 200,
  response: StatusPageV3,
  example: { params: oneExample, response: examplePageV3 },
  handle: async ({ params: { statusPageId: id }, principal: { accountId } }, app) => {
    const row = await app.db.get(findPage, { id, accountId })
    if (!row) throw notFound()
    return tagged(row)
  },
})

const update = route({
  method: 'PUT',
  path: one,
  access: 'READ_WRITE',
  tag,
  summary: 'Replace a status page, whose components stay',
  description:
    'What is left out has its default again. Texts in other languages, and whether it is private, stay as they are.',
  params,
  requestHeaders: ifMatchHeader,
  body: NewStatusPageV3,
  ignores: ignored,
  status: 200,
  otherStatuses: { ...taken, ...changedMeanwhile },
  response: StatusPageV3,
  example: { params: oneExample, body: exampleNewPageV3, response: examplePageV3 },
  handle: async (
    { params: { statusPageId: id }, body: changes, headers, principal: { accountId } },
    app: App & HasRandomBytes,
  ) => tagged((await changePage(app, { id, accountId, changes, ifMatch: headers['if-match'] })).row),
})

const remove = route({
  method: 'DELETE',
  path: one,
  access: 'READ_WRITE',
  tag,
  summary: 'Delete a status page with its subscriptions',
  description: 'Its incidents, and the services that its components are, stay.',
  params,
  status: 204,
  example: { params: oneExample },
  handle: async ({ params: { statusPageId }, principal: { accountId } }, app) => {
    await removePage(app, statusPageId, accountId)
  },
})

export const statusPageV3Routes: Route<App & HasRandomBytes>[] = [list, create, read, update, remove]
