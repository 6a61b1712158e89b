/** Error groups of tests: the same as those of checks, and apart from them. */
import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import { type Asker, longRead } from '../../platform/long-reads/long-read.ts'
import type { ErrorGroupsTable } from '../../platform/store/database/tables/analysis.ts'
import { offsetOf, type Page, pageReply } from '../../platform/web/http/answers/offset-page.ts'
import { type Reply, type Route, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { always } from '../../platform/words/shapes/ignored-names.ts'
import { findErrorGroup } from '../root-cause-analyses/queries.ts'
import { archiveErrorGroup, listErrorGroups } from './queries.ts'
import {
  ErrorGroupChanges,
  exampleGroup as example,
  ignoredOfGroups as ignored,
  ListQuery,
  TestErrorGroup,
} from './schema.ts'
import { serializeTestErrorGroups } from './serialize-error-group.ts'

const tag = 'Test sessions'
const GroupId = Type.Object({ id: Type.String({ format: 'uuid' }) })
const testExample: TestErrorGroup = {
  ...example,
  projectId: 'shop',
  environments: ['staging'],
  pwtMetadata: [],
}
const path = '/v1/test-session-error-groups'
const otherStatuses = { 404: 'There is no such error group' }

type GroupPageRequest = {
  query: Page & { includeArchived: boolean }
  asker: Asker
  url: string
  project?: string
}

const page = async (
  app: App,
  { query, url, asker, ...of }: GroupPageRequest,
): Promise<Reply<TestErrorGroup[]>> => {
  const { accountId } = asker
  const filter = { ...of, accountId, ofTests: true, includeArchived: query.includeArchived }
  const { rows, total } = await longRead(app, asker, (reading) =>
    listErrorGroups({ db: app.db, reading }, filter, { limit: query.limit, offset: offsetOf(query) }),
  )
  const items = await serializeTestErrorGroups(app.db, accountId, rows)
  return pageReply({ items, total, url: `${app.config.baseUrl}${url}`, query })
}

const list = route({
  method: 'GET',
  path,
  access: 'READ_ONLY',
  tag,
  mayLag: true,
  summary: 'Error groups of tests, last seen first',
  query: ListQuery,
  status: 200,
  response: Type.Array(TestErrorGroup),
  example: { query: { limit: 10 }, response: [testExample] },
  handle: ({ query, principal: { accountId }, signal }, app) =>
    page(app, { query, asker: { accountId, signal }, url: path }),
})

const listOfProject = route({
  method: 'GET',
  path: `${path}/projects/:projectId`,
  access: 'READ_ONLY',
  tag,
  mayLag: true,
  summary: 'Error groups of the tests of a project, last seen first',
  params: Type.Object({ projectId: Type.String({ minLength: 1, maxLength: 255 }) }),
  query: ListQuery,
  status: 200,
  response: Type.Array(TestErrorGroup),
  example: { params: { projectId: 'shop' }, query: { limit: 10 }, response: [testExample] },
  handle: ({ params: { projectId: project }, query, principal: { accountId }, signal }, app) =>
    page(app, {
      query,
      asker: { accountId, signal },
      project,
      url: `${path}/projects/${encodeURIComponent(project)}`,
    }),
})

const get = route({
  method: 'GET',
  path: `${path}/:id`,
  access: 'READ_ONLY',
  tag,
  summary: 'Read an error group of tests',
  params: GroupId,
  status: 200,
  otherStatuses,
  response: TestErrorGroup,
  example: { params: { id: example.id }, response: testExample },
  handle: async ({ params, principal: { accountId } }, app) =>
    present(app, accountId, await app.db.get(findErrorGroup, { id: params.id, accountId })),
})

const change = route({
  method: 'PATCH',
  path: `${path}/:id`,
  access: 'READ_WRITE',
  tag,
  summary: 'Archive an error group of tests, or bring it back',
  params: GroupId,
  body: ErrorGroupChanges,
  ignores: [...ignored, ...always('projectId', 'environments', 'pwtMetadata')],
  status: 200,
  otherStatuses,
  response: TestErrorGroup,
  example: {
    params: { id: example.id },
    body: { archivedUntilNextEvent: true },
    response: { ...testExample, archivedUntilNextEvent: true },
  },
  handle: async ({ params, body, principal: { accountId } }, app) => {
    const untilNextEvent = body.archivedUntilNextEvent ?? null
    const forEver = body.archiveForEver ?? null
    const archivedAt = untilNextEvent === true ? app.clock.now() : null
    const change = { id: params.id, accountId, ofTests: true, untilNextEvent, forEver, archivedAt }
    return present(app, accountId, await app.db.get(archiveErrorGroup, change))
  },
})

const present = async (
  app: App,
  accountId: string,
  row: ErrorGroupsTable | undefined,
): Promise<TestErrorGroup> => {
  const [group] = row?.of_tests ? await serializeTestErrorGroups(app.db, accountId, [row]) : []
  if (group === undefined) throw notFound()
  return group
}

export const testErrorGroupRoutes: Route[] = [list, listOfProject, get, change]
