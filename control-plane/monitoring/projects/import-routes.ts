/** What exists becomes part of a project: planned, applied, committed or cancelled. */
import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import { type Route, reply, route } from '../../platform/web/http/route.ts'
import type { ApiCaller } from '../../platform/web/http/server/api-caller.ts'
import { notFound } from '../../platform/words/errors.ts'
import { toIso } from '../../platform/words/shapes/instants.ts'
import { applyImport, cancelImport, commitImport, planImport, serializeImport } from './import-plans.ts'
import { importsOfAccount } from './import-queries.ts'
import { importable } from './importable.ts'
import { findProject } from './queries.ts'
import { ImportPlan, NewImport, ProjectKey } from './schema.ts'

const tag = 'Projects'
const params = { importId: '01931f3a-5c7d-7cc0-8b0a-0f6d2f1c9a10' }
const ImportKey = Type.Object({ importId: Type.String({ format: 'uuid' }) })
const outOfOrder = { 403: 'The role is too weak, or the plan is not that far' }

const only = (description: string) => Type.Boolean({ default: false, description })
const ListQuery = Type.Object(
  { onlyUnapplied: only('Those that were not applied'), onlyUncommitted: only('All: no others are kept') },
  { additionalProperties: false },
)

const list = route({
  method: 'GET',
  path: '/next/projects/imports',
  access: 'READ_ONLY',
  tag,
  summary: 'Import plans of all projects, oldest first',
  query: ListQuery,
  status: 200,
  response: Type.Array(ImportPlan),
  handle: async ({ query, principal: { accountId } }, app) => {
    const rows = await app.db.all(importsOfAccount, { accountId })
    return rows.filter((row) => !query.onlyUnapplied || row.applied_at === null).map(serializeImport)
  },
})

const listOfProject = route({
  method: 'GET',
  path: '/next/projects/:logicalId/imports',
  access: 'READ_ONLY',
  tag,
  summary: 'Import plans of a project, oldest first',
  params: ProjectKey,
  query: ListQuery,
  status: 200,
  response: Type.Array(ImportPlan),
  example: { params: { logicalId: 'shop' } },
  handle: async ({ params: { logicalId }, query, principal: { accountId } }, app) => {
    const project = await app.db.get(findProject, { accountId, logicalId })
    if (!project) throw notFound()
    const rows = await app.db.all(importsOfAccount, { accountId })
    return rows
      .filter((row) => row.project_id === project.id && (!query.onlyUnapplied || row.applied_at === null))
      .map(serializeImport)
  },
})

const apply = route({
  method: 'POST',
  path: '/next/projects/imports/:importId/apply',
  access: 'READ_WRITE',
  tag,
  summary: 'Apply an import plan: deployments change its resources, and never delete them',
  params: ImportKey,
  status: 200,
  otherStatuses: { ...outOfOrder, 409: 'A project has one of its resources already' },
  response: ImportPlan,
  example: { params },
  handle: ({ params: { importId: id }, principal: { accountId } }, app) =>
    applyImport(app, { id, accountId }),
})

const commit = route({
  method: 'POST',
  path: '/next/projects/imports/:importId/commit',
  access: 'READ_WRITE',
  tag,
  summary:
    'Commit an import plan: its resources are the project’s, and go when its files no longer have them',
  params: ImportKey,
  status: 200,
  otherStatuses: outOfOrder,
  response: ImportPlan,
  example: { params },
  handle: ({ params: { importId: id }, principal: { accountId } }, app) =>
    commitImport(app, { id, accountId }),
})

const cancel = route({
  method: 'DELETE',
  path: '/next/projects/imports/:importId',
  access: 'READ_WRITE',
  tag,
  summary: 'Cancel an import plan: its resources stay as they are, and nobody’s',
  params: ImportKey,
  status: 204,
  example: { params },
  handle: ({ params: { importId: id }, principal: { accountId } }, app) =>
    cancelImport(app, { id, accountId }),
})

export const importRoutes = (api: ApiCaller): Route<App>[] => {
  const plan = route({
    method: 'POST',
    path: '/next/projects/:logicalId/imports',
    access: 'READ_WRITE',
    tag,
    summary: 'Plan to take up what exists into a project',
    description:
      'The answer holds the resources as the API shows them, for a client that writes files of them. Of several filters that ' +
      'name a resource the last one counts.',
    params: ProjectKey,
    query: Type.Object({ preview: only('Nothing is kept') }, { additionalProperties: false }),
    body: NewImport,
    status: 201,
    otherStatuses: { 200: 'A preview', 413: 'Too many resources or plans' },
    response: ImportPlan,
    example: { params: { logicalId: 'shop' }, body: { filters: [{ type: 'include' }] } },
    handle: async ({ params: { logicalId }, query, body, principal }, app) => {
      const project = await app.db.get(findProject, { accountId: principal.accountId, logicalId })
      if (!project) throw notFound()
      const resources = await importable({ app, api, principal }, body.filters ?? [{ type: 'include' }])
      const changes = { resources, friends: [], auxiliary: [] }
      if (query.preview) {
        const unkept = { id: app.newId(), createdAt: toIso(app.clock.now()), changes }
        return reply(unkept, { status: 200 })
      }
      return { ...serializeImport(await planImport(app, { project, resources })), changes }
    },
  })
  return [list, listOfProject, plan, apply, commit, cancel]
}
