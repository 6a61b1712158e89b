/**
 * Error groups: what fails, instead of how often. They are made by the intake of results (join-error-group.ts), hidden by
 * people and deleted with their check.
 */
import { Type } from 'typebox'
import { findCheck } from '../../monitoring/definitions/checks/queries.ts'
import type { App } from '../../platform/app/app.ts'
import { type Asker, longRead } from '../../platform/long-reads/long-read.ts'
import type { ErrorGroupsTable } from '../../platform/store/database/tables/analysis.ts'
import { offsetOf, type Page, pageReply } from '../../platform/web/http/answers/offset-page.ts'
import { type Reply, type Route, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { findErrorGroup } from '../root-cause-analyses/queries.ts'
import { archiveErrorGroup, listErrorGroups } from './queries.ts'
import {
  ErrorGroup,
  ErrorGroupChanges,
  exampleGroup as example,
  ignoredOfGroups as ignored,
  ListQuery,
} from './schema.ts'
import { serializeErrorGroups } from './serialize-error-group.ts'

const tag = 'Error groups'
const uuid = Type.String({ format: 'uuid' })

type GroupPageRequest = {
  query: Page & { includeArchived: boolean }
  asker: Asker
  url: string
  checkId?: string
}

const page = async (
  app: App,
  { query, url, asker, ...of }: GroupPageRequest,
): Promise<Reply<ErrorGroup[]>> => {
  const { accountId } = asker
  const filter = { ...of, accountId, ofTests: false, includeArchived: query.includeArchived }
  const { rows, total } = await longRead(app, asker, (reading) =>
    listErrorGroups({ db: app.db, reading }, filter, { limit: query.limit, offset: offsetOf(query) }),
  )
  const items = await serializeErrorGroups(app.db, accountId, rows)
  return pageReply({ items, total, url: `${app.config.baseUrl}${url}`, query })
}

const list = route({
  method: 'GET',
  path: '/v1/error-groups',
  access: 'READ_ONLY',
  tag,
  mayLag: true,
  summary: 'Error groups of the account, last seen first',
  query: ListQuery,
  status: 200,
  response: Type.Array(ErrorGroup),
  example: { query: { limit: 10 }, response: [example] },
  handle: ({ query, principal: { accountId }, signal }, app) =>
    page(app, { query, asker: { accountId, signal }, url: '/v1/error-groups' }),
})

const listOfCheck = route({
  method: 'GET',
  path: '/v1/error-groups/checks/:checkId',
  access: 'READ_ONLY',
  tag,
  mayLag: true,
  summary: 'Error groups of a check, last seen first',
  params: Type.Object({ checkId: uuid }),
  query: ListQuery,
  status: 200,
  otherStatuses: { 404: 'There is no such check' },
  response: Type.Array(ErrorGroup),
  example: { params: { checkId: example.checkId }, query: { limit: 10 }, response: [example] },
  handle: async ({ params: { checkId }, query, principal: { accountId }, signal }, app) => {
    if (!(await app.db.get(findCheck, { id: checkId, accountId }))) throw notFound()
    return page(app, {
      query,
      asker: { accountId, signal },
      checkId,
      url: `/v1/error-groups/checks/${checkId}`,
    })
  },
})

const get = route({
  method: 'GET',
  path: '/v1/error-groups/:id',
  access: 'READ_ONLY',
  tag,
  summary: 'Read an error group',
  params: Type.Object({ id: uuid }),
  status: 200,
  otherStatuses: { 404: 'There is no such error group' },
  response: ErrorGroup,
  example: { params: { id: example.id }, response: example },
  handle: async ({ params, principal: { accountId } }, app) =>
    present(app, accountId, await app.db.get(findErrorGroup, { id: params.id, accountId })),
})

const change = route({
  method: 'PATCH',
  path: '/v1/error-groups/:id',
  access: 'READ_WRITE',
  tag,
  summary: 'Archive an error group, or bring it back',
  description:
    'Archived groups are left out of lists. `archivedUntilNextEvent` ends when a run that began later fails with the error; `archiveForEver` does not. ' +
    'Only the fields that are sent change.',
  params: Type.Object({ id: uuid }),
  body: ErrorGroupChanges,
  ignores: ignored,
  status: 200,
  otherStatuses: { 404: 'There is no such error group' },
  response: ErrorGroup,
  example: {
    params: { id: example.id },
    body: { archivedUntilNextEvent: true },
    response: { ...example, archivedUntilNextEvent: true },
  },
  handle: async ({ params, body, principal: { accountId } }, app) => {
    const untilNextEvent = body.archivedUntilNextEvent ?? null
    const forEver = body.archiveForEver ?? null
    const archivedAt = untilNextEvent === true ? app.clock.now() : null
    const change = { id: params.id, accountId, ofTests: false, untilNextEvent, forEver, archivedAt }
    return present(app, accountId, await app.db.get(archiveErrorGroup, change))
  },
})

const present = async (
  app: App,
  accountId: string,
  row: ErrorGroupsTable | undefined,
): Promise<ErrorGroup> => {
  if (row === undefined || row.of_tests) throw notFound()
  const [group] = await serializeErrorGroups(app.db, accountId, [row])
  if (group === undefined) throw notFound()
  return group
}

export { get as readErrorGroup, list as listErrorGroups, listOfCheck as listErrorGroupsOfCheck }

export const errorGroupRoutes: Route[] = [list, listOfCheck, get, change]
