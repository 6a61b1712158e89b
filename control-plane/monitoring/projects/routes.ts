/** Projects as command-line clients keep them in files: deployed as a whole, and destroyed with what they made. */
import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { HasWakeups } from '../../platform/services/clock/wakeups.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import type { HasAudit } from '../../platform/web/audit/audit-scope.ts'
import { alias, type Declaration, type Route, route } from '../../platform/web/http/route.ts'
import { createApiCaller } from '../../platform/web/http/server/api-caller.ts'
import { ApiError, notFound } from '../../platform/words/errors.ts'
import { recordNames } from '../../platform/words/shapes/ignored-names.ts'
import { deployRoute, removeRoute } from './deploy-routes.ts'
import { deploymentRoutes } from './deployment-routes.ts'
import { importRoutes } from './import-routes.ts'
import { countProjects, findProject, insertProject, listProjects } from './queries.ts'
import { runRoute } from './run-route.ts'
import { maxProjects, NewProject, Project, ProjectKey, serializeProject } from './schema.ts'

type ProjectsApp = App & HasAudit & HasCipher & HasWakeups

const tag = 'Projects'
const params = { logicalId: 'shop' }
const exampleProject = {
  ...{ id: '01931f3a-5c7d-7cc0-8b0a-0f6d2f1c9a10', ...params, name: 'Shop', repoUrl: null },
  ...{ created_at: '2026-01-01T00:00:00.000Z', updated_at: null },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: null },
}
const list = route({
  method: 'GET',
  path: '/v1/projects',
  access: 'READ_ONLY',
  tag,
  summary: 'All projects, oldest first',
  description: `An account has ${maxProjects} at most.`,
  status: 200,
  response: Type.Array(Project),
  example: { response: [exampleProject] },
  handle: async ({ principal: { accountId } }, app) =>
    (await app.db.all(listProjects, { accountId })).map(serializeProject),
})

const read = route({
  method: 'GET',
  path: '/v1/projects/:logicalId',
  access: 'READ_ONLY',
  tag,
  summary: 'One project',
  params: ProjectKey,
  status: 200,
  response: Project,
  example: { params, response: exampleProject },
  handle: async ({ params: { logicalId }, principal: { accountId } }, app) => {
    const row = await app.db.get(findProject, { accountId, logicalId })
    if (!row) throw notFound()
    return serializeProject(row)
  },
})

const create = route({
  method: 'POST',
  path: '/v1/projects',
  access: 'READ_WRITE',
  tag,
  summary: 'Create a project that holds nothing yet',
  body: NewProject,
  ignores: recordNames,
  status: 201,
  otherStatuses: { 409: 'The account has a project with this logical id', 413: 'It has too many projects' },
  response: Project,
  example: { body: { ...params, name: 'Shop' }, response: exampleProject },
  handle: async ({ body: { logicalId, name, repoUrl = null }, principal: { accountId } }, app) => {
    const row = {
      ...{ id: app.newId(), account_id: accountId, logical_id: logicalId, name, repo_url: repoUrl },
      ...{ created_at: app.clock.now(), updated_at: null, version: 0 },
    }
    await app.db.transaction(async (trx) => {
      const { total = 0 } = (await trx.get(countProjects, { accountId })) ?? {}
      if (total >= maxProjects)
        throw new ApiError(413, `The account has ${maxProjects} projects: delete some first`)
      if ((await trx.run(insertProject, row)) === 0)
        throw new ApiError(409, `There is a project "${logicalId}" already`)
    })
    return serializeProject(row)
  },
})

/** `listed`: the routes that a deployment calls, asked for when all of them are known. */
export const projectRoutes = (listed: () => readonly Declaration[]): Route<ProjectsApp>[] => {
  const api = createApiCaller(listed, { puts: 'wholes' })
  const deploy = deployRoute(api)
  const remove = removeRoute(api)
  return [
    ...[list, read, create, deploy, remove, ...deploymentRoutes, ...importRoutes(api), runRoute(api)],
    ...[
      alias(list, '/next/projects'),
      alias(read, '/next/projects/:logicalId'),
      alias(create, '/next/projects'),
    ],
    ...[alias(deploy, '/next/projects/deploy'), alias(remove, '/next/projects/:logicalId')],
  ]
}
