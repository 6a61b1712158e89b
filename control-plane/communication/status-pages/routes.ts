import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import { searchParameter } from '../../platform/web/http/answers/offset-page.ts'
import { changedMeanwhile, entityTag, ifMatchHeader } from '../../platform/web/http/request/entity-tag.ts'
import { type Reply, type Route, reply, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { cursorPage, cursorParameters, positionOf } from '../../platform/words/shapes/cursor.ts'
import { always, recordNames, recordNamesIn } from '../../platform/words/shapes/ignored-names.ts'
import { StatusPageId } from '../stored-pages/page-doc.ts'
import { findPage, listPages } from '../stored-pages/queries.ts'
import { exampleNewPage, examplePage } from './examples.ts'
import { changePage, createPage, removePage, type SavedPage } from './save-page.ts'
import { NewStatusPage, StatusPage, StatusPageChanges, StatusPagePage } from './schema.ts'
import { serializePages } from './serialize-page.ts'

const ignored = [...recordNames, ...always('accountId', 'incidents', 'keys'), ...recordNamesIn('cards')]

const tag = 'Status pages'
const oneExample = { statusPageId: examplePage.id }
const taken = { 409: 'Another status page has the `url` or `customDomain`' }

const tagged = async (app: App, { row, rawKey }: SavedPage): Promise<Reply<StatusPage>> => {
  const [page] = await serializePages(app.db, [row], { now: app.clock.now(), rawKey })
  if (!page) throw notFound()
  return reply(page, { headers: { etag: entityTag(row.version) } })
}

const listParameters = {
  ...cursorParameters,
  ...searchParameter('the name, the address or the domain of its own'),
}

const list = route({
  method: 'GET',
  path: '/v1/status-pages',
  access: 'READ_ONLY',
  tag,
  summary: 'List status pages, oldest first',
  query: Type.Object(listParameters, { additionalProperties: false }),
  status: 200,
  response: StatusPagePage,
  example: {
    query: { limit: 20, search: 'shop' },
    response: { length: 1, entries: [examplePage], nextId: null },
  },
  handle: async ({ query: { limit, nextId, search }, principal: { accountId } }, app) => {
    const found = await listPages(app.db, accountId, {
      after: positionOf(nextId),
      limit: limit + 1,
      search,
    })
    const page = cursorPage(found, limit)
    const entries = await serializePages(app.db, page.rows, { now: app.clock.now() })
    return { length: entries.length, entries, nextId: page.nextId }
  },
})

const create = route({
  method: 'POST',
  path: '/v1/status-pages',
  access: 'READ_WRITE',
  tag,
  summary: 'Create a status page',
  description: 'The answer shows the password of a private page in `keys`, this once.',
  body: NewStatusPage,
  ignores: ignored,
  status: 201,
  otherStatuses: taken,
  response: StatusPage,
  example: { body: exampleNewPage, response: examplePage },
  handle: async ({ body, principal }, app: App & HasRandomBytes) =>
    tagged(app, await createPage(app, principal.accountId, body)),
})

const read = route({
  method: 'GET',
  path: '/v1/status-pages/:statusPageId',
  access: 'READ_ONLY',
  tag,
  summary: 'One status page',
  params: StatusPageId,
  status: 200,
  response: StatusPage,
  example: { params: oneExample, response: examplePage },
  handle: async ({ params, principal: { accountId } }, app) => {
    const row = await app.db.get(findPage, { id: params.statusPageId, accountId })
    if (!row) throw notFound()
    return tagged(app, { row, rawKey: null })
  },
})

const update = route({
  method: 'PUT',
  path: '/v1/status-pages/:statusPageId',
  access: 'READ_WRITE',
  tag,
  summary: 'Change a status page',
  description:
    'Name, url and cards are replaced; of the rest only what is sent changes. A card sent with its id stays the same ' +
    'card. Switching `isPrivate` on generates a password, which the answer shows in `keys`, this once; switching it ' +
    'off and on again makes a new one.',
  params: StatusPageId,
  requestHeaders: ifMatchHeader,
  body: StatusPageChanges,
  ignores: ignored,
  status: 200,
  otherStatuses: { ...taken, ...changedMeanwhile },
  response: StatusPage,
  example: { params: oneExample, body: exampleNewPage, response: examplePage },
  handle: async ({ params, body, headers, principal: { accountId } }, app: App & HasRandomBytes) => {
    const ifMatch = headers['if-match']
    return tagged(app, await changePage(app, { id: params.statusPageId, accountId, changes: body, ifMatch }))
  },
})

const remove = route({
  method: 'DELETE',
  path: '/v1/status-pages/:statusPageId',
  access: 'READ_WRITE',
  tag,
  summary: 'Delete a status page with its cards and subscriptions',
  description: 'Services and incidents stay.',
  params: StatusPageId,
  status: 204,
  example: { params: oneExample },
  handle: async ({ params, principal }, app: App & HasRandomBytes) => {
    await removePage(app, params.statusPageId, principal.accountId)
  },
})

export { list as listStatusPages, read as readStatusPage }

export const statusPageRoutes: Route<App & HasRandomBytes>[] = [list, create, read, update, remove]
