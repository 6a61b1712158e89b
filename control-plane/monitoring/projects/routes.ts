/** Projects as command-line clients keep them in files: deployed as a whole, and destroyed with what they made. */
import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { HasWakeups } from '../../platform/services/clock/wakeups.ts'
import type { HasAudit } from '../../platform/web/audit/audit-scope.ts'
import { alias, type Declaration, type Route, reply, route } from '../../platform/web/http/route.ts'
import { ApiError, notFound } from '../../platform/words/errors.ts'
import { createApiCaller } from './api-caller.ts'
import { deployProject } from './deploy.ts'
import { deploymentRoutes } from './deployment-routes.ts'
import { keepDeployment } from './deployments.ts'
import { countProjects, findProject, insertProject, listProjects } from './queries.ts'
import { removeProject } from './remove-project.ts'
import {
  Deploy,
  Deployment,
  DeployResult,
  maxProjects,
  maxResources,
  NewProject,
  Project,
  ProjectKey,
  serializeProject,
} from './schema.ts'

type ProjectsApp = App & HasAudit & HasWakeups

const tag = 'Projects'
const params = { logicalId: 'shop' }
const exampleProject = {
  ...{ id: '01931f3a-5c7d-7cc0-8b0a-0f6d2f1c9a10', ...params, name: 'Shop', repoUrl: null },
  ...{ created_at: '2026-01-01T00:00:00.000Z', updated_at: null },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: null },
}
const exampleResource = {
  ...{ logicalId: 'home', type: 'check' as const, member: true },
  payload: {
    checkType: 'URL',
    name: 'Home',
    request: { url: 'https://example.com/' },
    locations: ['eu-west-1'],
  },
}
const exampleDeploy = { project: { ...params, name: 'Shop' }, resources: [exampleResource] }

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
  status: 201,
  otherStatuses: { 409: 'The account has a project with this logical id', 413: 'It has too many projects' },
  response: Project,
  example: { body: exampleDeploy.project, response: exampleProject },
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

const preserveResources = Type.Boolean({
  default: false,
  description: 'What left the files leaves the project, and stays in the account instead of being deleted',
})
const dryRun = Type.Boolean({ default: false, description: 'Only say what would be done' })

/** `listed`: the routes that a deployment calls, asked for when all of them are known. */
export const projectRoutes = (listed: () => readonly Declaration[]): Route<ProjectsApp>[] => {
  const api = createApiCaller(listed)
  const deploy = route({
    method: 'POST',
    path: '/v1/projects/deploy',
    access: 'READ_WRITE',
    tag,
    summary: 'Deploy a project: make, change and delete what its files say',
    description:
      'In one transaction: all of it or nothing. Each `payload` is what the route that creates such a resource takes, and the ' +
      `key needs the role of that route. What the project made and no longer has is deleted. At most ${maxResources} ` +
      'resources. It has ended when it is answered; a dry run is answered with `project` and `diff` alone.',
    query: Type.Object(
      {
        dryRun,
        preserveResources,
        scheduleOnDeploy: Type.Boolean({
          default: true,
          description: 'Without effect: a new check runs at once, others on their slots',
        }),
      },
      { additionalProperties: false },
    ),
    body: Deploy,
    bodyLimit: 32 * 1024 * 1024,
    status: 202,
    otherStatuses: {
      200: 'A dry run',
      409: 'A resource is in the way, or others deploy the project',
      413: 'The account has too many projects',
    },
    response: Type.Union([Deployment, DeployResult]),
    example: { query: { dryRun: true }, body: exampleDeploy },
    handle: async ({ query, body, principal }, app: ProjectsApp) => {
      const { accountId } = principal
      const startedAt = app.clock.now()
      const { dryRun, preserveResources } = query
      // The log names the project, and not the deployment.
      const entry = app.audit.current()
      if (entry) entry.row.resource_id = body.project.logicalId.slice(0, 200)
      const result = await deployProject(app, { api, principal, deploy: body, dryRun, preserveResources })
      if (dryRun) return reply(result, { status: 200 })
      return keepDeployment(app, { accountId, startedAt, result })
    },
  })
  const remove = route({
    method: 'DELETE',
    path: '/v1/projects/:logicalId',
    access: 'READ_WRITE',
    tag,
    summary: 'Delete a project with all that it made',
    description: 'Of a project that does not exist, and of a dry run, the answer says what would be done.',
    params: ProjectKey,
    query: Type.Object({ preserveResources, dryRun }, { additionalProperties: false }),
    status: 202,
    otherStatuses: {
      200: 'There was nothing to delete, or it is a dry run',
      409: 'Something stands on what it made',
    },
    response: Type.Union([Deployment, Type.Object({ diff: DeployResult.properties.diff })]),
    example: { params, query: { preserveResources: true } },
    handle: async ({ params: { logicalId }, query, principal }, app: ProjectsApp) => {
      const { accountId } = principal
      const startedAt = app.clock.now()
      const result = await removeProject(app, { api, principal, logicalId, ...query })
      if (result === null || query.dryRun) return reply({ diff: result?.diff ?? [] }, { status: 200 })
      return keepDeployment(app, { accountId, startedAt, result })
    },
  })
  return [
    ...[list, read, create, deploy, remove, ...deploymentRoutes],
    ...[
      alias(list, '/next/projects'),
      alias(read, '/next/projects/:logicalId'),
      alias(create, '/next/projects'),
    ],
    ...[alias(deploy, '/next/projects/deploy'), alias(remove, '/next/projects/:logicalId')],
  ]
}
