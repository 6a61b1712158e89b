import type { App } from '../../platform/app/app.ts'
import type { HasWakeups } from '../../platform/services/clock/wakeups.ts'
import type { HasAudit } from '../../platform/web/audit/audit-scope.ts'
import { type Deploying, deployProject } from './deploy.ts'
import { deleteImportsOfProject } from './import-queries.ts'
import { deleteProject, deleteResourcesOfProject, findProject, lockProject } from './queries.ts'
import type { DeployResult } from './schema.ts'

type Removal = Pick<Deploying, 'api' | 'principal' | 'preserveResources' | 'dryRun'> & { logicalId: string }

/** All that it made goes with it, as if its files were empty, unless it is to stay. Null: there is no such project. */
export const removeProject = async (
  app: App & HasAudit & HasWakeups,
  { logicalId, ...how }: Removal,
): Promise<DeployResult | null> => {
  const key = { accountId: how.principal.accountId, logicalId }
  const there = await app.db.get(findProject, key)
  if (!there) return null
  const project = { logicalId, name: there.name, repoUrl: there.repo_url }
  const result = await deployProject(app, { ...how, deploy: { project, resources: [] } })
  if (how.dryRun) return result
  await app.db.transaction(async (trx) => {
    const row = await trx.get(lockProject, key)
    if (!row) return
    await trx.run(deleteImportsOfProject, { projectId: row.id })
    await trx.run(deleteResourcesOfProject, { projectId: row.id })
    await trx.run(deleteProject, { id: row.id })
  })
  return result
}
