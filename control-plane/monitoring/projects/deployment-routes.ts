/** Deployments for clients that wait for them: asked for, followed as events, or cancelled too late. */
import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import { sentAsIs } from '../../platform/web/http/answers/serialize.ts'
import { type Route, route } from '../../platform/web/http/route.ts'
import { readDeployment } from './deployments.ts'
import { Deployment, ProjectKey } from './schema.ts'

const tag = 'Projects'
const address = '/v1/projects/:logicalId/deployments/:deploymentId'
const Which = Type.Object({ ...ProjectKey.properties, deploymentId: Type.String({ format: 'uuid' }) })
const params = { logicalId: 'shop', deploymentId: '01931f3a-5c7d-7cc0-8b0a-0f6d2f1c9a10' }

const read = route({
  method: 'GET',
  path: address,
  access: 'READ_ONLY',
  tag,
  summary: 'How a deployment ended',
  description: 'The newest 50 of an account are kept.',
  params: Which,
  status: 200,
  response: Deployment,
  example: { params },
  handle: ({ params, principal }, app) => readDeployment(app, principal, params),
})

const completion = route({
  method: 'GET',
  path: `${address}/completion`,
  access: 'READ_ONLY',
  tag,
  summary: 'How a deployment ended, for clients that wait for it',
  params: Which,
  query: Type.Object({ maxWaitSeconds: Type.Integer({ minimum: 0, maximum: 60, default: 30 }) }),
  status: 200,
  response: Deployment,
  example: { params },
  handle: ({ params, principal }, app) => readDeployment(app, principal, params),
})

const events = route({
  method: 'GET',
  path: `${address}/events`,
  access: 'READ_ONLY',
  tag,
  summary: 'A deployment as events: `complete`, with how it ended',
  params: Which,
  status: 200,
  response: sentAsIs(),
  responseType: 'text/event-stream',
  example: { params },
  handle: async ({ params, principal }, app) =>
    `event: complete\ndata: ${JSON.stringify(await readDeployment(app, principal, params))}\n\n`,
})

const cancel = route({
  method: 'POST',
  path: `${address}/cancel`,
  access: 'READ_WRITE',
  tag,
  summary: 'Cancel a deployment: without effect, as it has ended',
  params: Which,
  status: 200,
  response: Deployment,
  example: { params },
  handle: ({ params, principal }, app) => readDeployment(app, principal, params),
})

export const deploymentRoutes: Route<App>[] = [read, completion, events, cancel]
