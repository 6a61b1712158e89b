import { Type } from 'typebox'
import type { HasUsers } from '../../access/snippets/require-unused.ts'
import type { App } from '../../platform/app/app.ts'
import { type Route, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { cursorPage, cursorParameters, positionOf } from '../../platform/words/shapes/cursor.ts'
import { always, recordNames } from '../../platform/words/shapes/ignored-names.ts'
import { StatusPageId } from '../stored-pages/page-doc.ts'
import { findPage } from '../stored-pages/queries.ts'
import {
  Component,
  ComponentId,
  ComponentPage,
  type ComponentWrite,
  exampleComponent,
  exampleNewComponent,
  NewComponent,
} from './component-schema.ts'
import {
  changeComponent,
  componentOf,
  createComponent,
  readComponents,
  removeComponent,
} from './components.ts'

const tag = 'Status pages, version 3'
const all = '/v3/status-pages/:statusPageId/components'
const one = `${all}/:componentId` as const
const allExample = { statusPageId: exampleComponent.statusPageId }
const oneExample = { ...allExample, componentId: exampleComponent.id }
const ignored = [...recordNames, ...always('statusPageId')]

const componentsOf = async (app: App, id: string, accountId: string): Promise<Component[]> => {
  if (!(await app.db.get(findPage, { id, accountId }))) throw notFound()
  return readComponents(app.db, id.toLowerCase())
}

const list = route({
  method: 'GET',
  path: all,
  access: 'READ_ONLY',
  tag,
  summary: 'List the components of a page, oldest first',
  params: StatusPageId,
  query: Type.Object(cursorParameters, { additionalProperties: false }),
  status: 200,
  response: ComponentPage,
  example: { params: allExample, response: { length: 1, entries: [exampleComponent], nextId: null } },
  handle: async ({ params: { statusPageId }, query: { limit, nextId }, principal: { accountId } }, app) => {
    const after = positionOf(nextId)
    const rows = (await componentsOf(app, statusPageId, accountId)).map((entry) => ({
      ...{ entry, id: entry.id, created_at: Date.parse(entry.created_at) },
    }))
    const from =
      after === undefined
        ? rows
        : rows.filter(
            ({ id, created_at: at }) => at > after.createdAt || (at === after.createdAt && id > after.id),
          )
    const page = cursorPage(from.slice(0, limit + 1), limit)
    const entries = page.rows.map(({ entry }) => entry)
    return { length: entries.length, entries, nextId: page.nextId }
  },
})

const create = route({
  method: 'POST',
  path: all,
  access: 'READ_WRITE',
  tag,
  summary: 'Create a component of a page',
  description: 'A SERVICE becomes a service of the account, which `/v1/status-pages/services` lists.',
  params: StatusPageId,
  body: NewComponent,
  ignores: ignored,
  status: 201,
  otherStatuses: { 409: 'The page has too many components' },
  response: Component,
  example: { params: allExample, body: exampleNewComponent, response: exampleComponent },
  handle: ({ params: { statusPageId: pageId }, body, principal: { accountId } }, app) =>
    createComponent(app, { pageId, accountId }, body as ComponentWrite),
})

const read = route({
  method: 'GET',
  path: one,
  access: 'READ_ONLY',
  tag,
  summary: 'One component of a page',
  params: ComponentId,
  status: 200,
  response: Component,
  example: { params: oneExample, response: exampleComponent },
  handle: async ({ params: { statusPageId, componentId }, principal: { accountId } }, app) =>
    componentOf(await componentsOf(app, statusPageId, accountId), componentId),
})

const update = route({
  method: 'PUT',
  path: one,
  access: 'READ_WRITE',
  tag,
  summary: 'Replace a component of a page',
  description: 'What is left out has its default again. A service has its name on all pages that show it.',
  params: ComponentId,
  body: NewComponent,
  ignores: ignored,
  status: 200,
  response: Component,
  example: { params: oneExample, body: exampleNewComponent, response: exampleComponent },
  handle: ({ params: { statusPageId: pageId, componentId: id }, body, principal: { accountId } }, app) =>
    changeComponent(app, { id, pageId, accountId }, body as ComponentWrite),
})

const remove = route({
  method: 'DELETE',
  path: one,
  access: 'READ_WRITE',
  tag,
  summary: 'Delete a component of a page',
  description:
    'A GROUP lets go of its components. A SERVICE leaves the page; the service itself ends where no page, check or incident knows it.',
  params: ComponentId,
  status: 204,
  example: { params: oneExample },
  handle: async (
    { params: { statusPageId: pageId, componentId: id }, principal: { accountId } },
    app: App & HasUsers,
  ) => {
    await removeComponent(app, { id, pageId, accountId })
  },
})

export const statusPageComponentRoutes: Route<App & HasUsers>[] = [list, create, read, update, remove]
