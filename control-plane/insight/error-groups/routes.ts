/**
 * Error groups: what fails, instead of how often. They are made by the intake of results (join-error-group.ts), hidden by
 * people and deleted with their check.
 */
import { Type } from 'typebox'
import { findCheck } from '../../monitoring/definitions/checks/queries.ts'
import type { App } from '../../platform/app/app.ts'
import { type Asker, longRead } from '../../platform/long-reads/long-read.ts'
import type { ErrorGroupsTable } from '../../platform/store/database/tables/analysis.ts'
import {
  offsetOf,
  type Page,
  pageParameters,
  pageReply,
} from '../../platform/web/http/answers/offset-page.ts'
import { type Reply, type Route, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { always, recordNames } from '../../platform/words/shapes/ignored-names.ts'
import { findErrorGroup } from '../root-cause-analyses/queries.ts'
import { archiveErrorGroup, listErrorGroups } from './queries.ts'
import { ErrorGroup, ErrorGroupChanges } from './schema.ts'
import { serializeErrorGroups } from './serialize-error-group.ts'

export const ignored = [
  ...recordNames,
  ...always('checkId', 'errorHash', 'rawErrorMessage', 'cleanedErrorMessage'),
  ...always('firstSeen', 'lastSeen', 'rootCauseAnalyses'),
]

const tag = 'Error groups'
const uuid = Type.String({ format: 'uuid' })

export const ListQuery = Type.Object(
  {
    ...pageParameters,
    includeArchived: Type.Boolean({ default: false, description: 'Also groups that were archived' }),
  },
  { additionalProperties: false },
)

export const example: ErrorGroup = {
  id: '5d0f8a44-7a0e-8c1b-9d2e-3b7f4a6c8e21',
  checkId: '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11',
  errorHash: 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9',
  rawErrorMessage: 'example.com:443 (203.0.113.7) refused the connection after 12 ms',
  cleanedErrorMessage: 'example.com:<port> (<address>) refused the connection after <duration>',
  firstSeen: '2026-01-01T10:05:00.000Z',
  lastSeen: '2026-01-01T10:10:00.000Z',
  archivedUntilNextEvent: false,
  archiveForEver: false,
  rootCauseAnalyses: [],
}

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
