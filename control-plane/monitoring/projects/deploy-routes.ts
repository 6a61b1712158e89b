/** The two that change what a project holds: deploying it, and deleting it. */
import { Type } from 'typebox'
import { exampleType } from '../../../protocol/check-type.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasWakeups } from '../../platform/services/clock/wakeups.ts'
import type { HasAudit } from '../../platform/web/audit/audit-scope.ts'
import { reply, route } from '../../platform/web/http/route.ts'
import type { ApiCaller } from '../../platform/web/http/server/api-caller.ts'
import { checkKinds } from '../definitions/checks/types/index.ts'
import { deployProject } from './deploy.ts'
import { keepDeployment } from './deployments.ts'
import { removeProject } from './remove-project.ts'
import { Deploy, Deployment, DeployResult, maxResources, ProjectKey } from './schema.ts'

type ProjectsApp = App & HasAudit & HasWakeups

const tag = 'Projects'
const params = { logicalId: 'shop' }
const exampleResource = {
  ...{ logicalId: 'home', type: 'check' as const, member: true },
  payload: { checkType: exampleType, ...checkKinds[exampleType].example },
}
const exampleDeploy = { project: { ...params, name: 'Shop' }, resources: [exampleResource] }

const preserveResources = Type.Boolean({
  default: false,
  description: 'What left the files leaves the project, and stays in the account instead of being deleted',
})
const dryRun = Type.Boolean({ default: false, description: 'Only say what would be done' })

export const deployRoute = (api: ApiCaller) =>
  route({
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

export const removeRoute = (api: ApiCaller) =>
  route({
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
