/** How deployments ended, for clients that follow them: here each has ended when it is answered. */
import type { App } from '../../platform/app/app.ts'
import type { AccountPrincipal } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { toIso } from '../../platform/words/shapes/instants.ts'
import { deleteDeploymentsBefore, findDeployment, insertDeployment, oldestKeptDeployment } from './queries.ts'
import { type Deployment, type DeployResult, deploymentDoc } from './schema.ts'

type Ended = { accountId: string; startedAt: number; result: DeployResult }

/** The newest of an account are kept. */
export const keepDeployment = async (
  app: App,
  { accountId, startedAt, result }: Ended,
): Promise<Deployment> => {
  const now = app.clock.now()
  const { logicalId } = result.project
  const deployment: Deployment = {
    ...{ id: app.newId(), logicalId, status: 'SUCCEEDED', dryRun: false, progress: 100, error: null, result },
    ...{
      createdAt: toIso(startedAt),
      startedAt: toIso(startedAt),
      endedAt: toIso(now),
      cancelRequestedAt: null,
    },
  }
  await app.db.transaction(async (trx) => {
    await trx.run(insertDeployment, {
      ...{ id: deployment.id, account_id: accountId, logical_id: logicalId, created_at: now },
      doc: deploymentDoc.write(deployment),
    })
    const oldest = await trx.get(oldestKeptDeployment, { accountId })
    if (oldest) await trx.run(deleteDeploymentsBefore, { accountId, id: oldest.id })
  })
  return deployment
}

type Which = { logicalId: string; deploymentId: string }

/** @throws ApiError 404 */
export const readDeployment = async (
  app: App,
  { accountId }: AccountPrincipal,
  { logicalId, deploymentId }: Which,
): Promise<Deployment> => {
  const row = await app.db.get(findDeployment, { accountId, logicalId, id: deploymentId })
  if (!row) throw notFound()
  return deploymentDoc.read(row.doc)
}
