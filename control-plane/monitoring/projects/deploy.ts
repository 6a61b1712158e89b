/**
 * Deploying a project: one transaction, in which the API's own routes make, change and delete what its files say. Steps:
 *
 * 1. what the project holds is read, outside of the transaction (caches of the routes know what is committed only);
 * 2. inside of it, what left the files goes, unless others stand on it;
 * 3. resources are made and changed, in the order in which they name each other;
 * 4. what others stood on goes;
 * 5. the project knows what it holds now. A mistake in any payload undoes it all, and so does a dry run.
 */
import type { App } from '../../platform/app/app.ts'
import { insideOf } from '../../platform/app/per-app.ts'
import type { HasWakeups } from '../../platform/services/clock/wakeups.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { runForRows } from '../../platform/store/database/row-statement.ts'
import type { ProjectResourcesTable, ProjectsTable } from '../../platform/store/database/tables/projects.ts'
import type { HasAudit } from '../../platform/web/audit/audit-scope.ts'
import type { AccountPrincipal } from '../../platform/web/http/route.ts'
import type { ApiCaller } from '../../platform/web/http/server/api-caller.ts'
import { ApiError, invalid, violation } from '../../platform/words/errors.ts'
import {
  applyResource,
  changeOf,
  type Deployment,
  idsOf,
  type KnownResource,
  keyOf,
  oneOf,
  remove,
  type Values,
} from './apply-resource.ts'
import { noteChanges } from './note-changes.ts'
import {
  countProjects,
  deleteResourcesOfProject,
  findProject,
  insertProject,
  lockProject,
  projectResourceRows,
  resourcesOfProject,
  updateProject,
} from './queries.ts'
import { isInsideAnother, isLink, linksOf } from './references.ts'
import {
  type ResourceType,
  type ResourceTypeName,
  resourceTypeNames,
  resourceTypes,
} from './resource-types.ts'
import {
  type Change,
  type Deploy,
  type DeployResult,
  maxProjects,
  type ProjectResource,
  serializeProject,
} from './schema.ts'

type ProjectsApp = App & HasAudit & HasWakeups

export type Deploying = {
  api: ApiCaller
  principal: AccountPrincipal
  deploy: Deploy
  dryRun: boolean
  /** What left the files leaves the project and stays in the account. */
  preserveResources: boolean
}

/** What ends a transaction that is to leave nothing behind. */
class DryRunEnd extends Error {
  readonly result: DeployResult
  constructor(result: DeployResult) {
    super('A dry run ends without a change')
    this.result = result
  }
}

/** Another deployment of the same project may come between reading and writing, but hardly so often. */
const maxRounds = 5

/** @throws ApiError 400 that names every mistake, 403, 409, 413 */
export const deployProject = async (app: ProjectsApp, asked: Deploying): Promise<DeployResult> => {
  requireOnce(asked.deploy)
  // What it reads goes into the audit log.
  const deploying = { ...asked, principal: { ...asked.principal, seesSecrets: false } }
  for (let round = 1; round <= maxRounds; round++) {
    const result = await tryDeploy(app, deploying)
    if (result !== 'changed-meanwhile') return result
  }
  throw new ApiError(409, 'The project is being deployed by others: try again')
}

/** @throws ApiError 400 */
const requireOnce = ({ resources }: Deploy): void => {
  const seen = new Set<string>()
  const repeated = resources.flatMap((resource, at) => {
    const isRepeated = seen.has(keyOf(resource))
    seen.add(keyOf(resource))
    if (!isRepeated) return []
    const problem = `is that of another ${resource.type} already: ${resource.logicalId}`
    return [violation(`resources.${at}.logicalId`, 'unique', problem)]
  })
  if (repeated.length > 0) throw invalid(repeated)
}

const tryDeploy = async (
  app: ProjectsApp,
  deploying: Deploying,
): Promise<DeployResult | 'changed-meanwhile'> => {
  const held = await readHeld(app, deploying)
  const at = app.clock.now()
  const woken = new Set<string>()
  try {
    const result = await app.db.transaction((trx) => {
      woken.clear()
      const wakeups = { ...app.wakeups, wake: (name: string) => void woken.add(name) }
      const inside = insideOf(app, trx, { clock: { ...app.clock, now: () => at }, wakeups })
      return deployInside({ app: inside, trx, held, at }, deploying)
    })
    for (const name of woken) app.wakeups.wake(name)
    return result
  } catch (error) {
    if (error instanceof DryRunEnd) return error.result
    throw error
  }
}

type Held = { version: number; resources: ReadonlyMap<string, KnownResource & ProjectKeyed> }
type ProjectKeyed = { type: string; logicalId: string }

/** What the project holds, as its API shows it: all that goes or stays the same is known by that. */
const readHeld = async (app: App, { api, principal, deploy }: Deploying): Promise<Held> => {
  const { accountId } = principal
  const { logicalId } = deploy.project
  const project = await app.db.get(findProject, { accountId, logicalId })
  const resources = new Map<string, KnownResource & ProjectKeyed>()
  const rows = project ? await app.db.all(resourcesOfProject, { projectId: project.id }) : []
  for (const { type, logical_id, physical_id: physicalId, kind } of rows) {
    const keyed = { type, logicalId: logical_id }
    const before = kind === 'reference' ? null : await readOne(app, { api, principal }, { type, physicalId })
    resources.set(keyOf(keyed), { ...keyed, physicalId, kind, before })
  }
  return { version: project?.version ?? 0, resources }
}

/** Null: it is gone. Status pages of both versions are one kind. */
const readOne = async (
  app: App,
  { api, principal }: Pick<Deploying, 'api' | 'principal'>,
  { type, physicalId }: { type: string; physicalId: string },
): Promise<Values | null> => {
  const query = type === 'check' ? 'includeDependencies=true' : ''
  for (const version of type === 'status-page' ? [1, 3] : [1])
    try {
      const shape = oneOf(type, { version })
      const call = { method: 'GET' as const, shape, ids: idsOf(physicalId), query }
      return (await api.call({ app, principal }, call)) as Values
    } catch (error) {
      if (!(error instanceof ApiError && [400, 404].includes(error.status))) throw error
    }
  return null
}

type Inside = { app: App; trx: Db; held: Held; at: number }

const deployInside = async (
  { app, trx, held, at }: Inside,
  deploying: Deploying,
): Promise<DeployResult | 'changed-meanwhile'> => {
  const { api, principal, deploy, preserveResources, dryRun } = deploying
  const project = await heldProject(app, trx, { deploying, at })
  if (project.version !== held.version) return 'changed-meanwhile'
  const deployment: Deployment = {
    ...{ api, app, principal, deploy, known: held.resources },
    links: linksOf(deploy.resources),
    ownChannels: channelsOf(held, deploy),
    ...{ ids: new Map(), slugs: new Map(), problems: [], diff: [] },
    note: noteChanges(app, trx),
  }
  const left = leftOf(held, deploy)
  if (preserveResources)
    for (const one of left) deployment.diff.push(changeOf(one, one.physicalId, 'DETACHED'))
  else await removeSome(deployment, left, (type) => type.holdsOthers !== true)
  await applyAll(deployment)
  if (deployment.problems.length === 0 && !preserveResources)
    await removeSome(deployment, left, (type) => type.holdsOthers === true)
  if (deployment.problems.length > 0) throw invalid(deployment.problems)
  await writeHeld(trx, { project, held, deployment })
  const { name, repoUrl = null } = deploy.project
  const change = { id: project.id, name, repoUrl, now: at, version: held.version + 1 }
  const row = await trx.get(updateProject, change)
  const result = { project: serializeProject(row ?? project), diff: deployment.diff }
  if (dryRun) throw new DryRunEnd({ ...result, diff: result.diff.map(withoutMade) })
  return result
}

/** What a dry run made is gone with its id. */
const withoutMade = ({ physicalId, ...change }: Change): Change =>
  change.action === 'CREATE' || physicalId === undefined ? change : { ...change, physicalId }

/** The project, which nobody else deploys meanwhile; made here where it is new. */
const heldProject = async (
  app: App,
  trx: Db,
  { deploying: { principal, deploy }, at }: { deploying: Deploying; at: number },
): Promise<ProjectsTable> => {
  const { accountId } = principal
  const { logicalId, name, repoUrl = null } = deploy.project
  const key = { accountId, logicalId }
  const there = await trx.get(lockProject, key)
  if (there) return there
  const { total = 0 } = (await trx.get(countProjects, { accountId })) ?? {}
  if (total >= maxProjects)
    throw new ApiError(413, `The account has ${maxProjects} projects: delete some first`)
  await trx.run(insertProject, {
    ...{ id: app.newId(), account_id: accountId, logical_id: logicalId, name, repo_url: repoUrl },
    ...{ created_at: at, updated_at: null, version: 0 },
  })
  const made = await trx.get(lockProject, key)
  if (!made) throw new Error('A project was not written')
  return made
}

const channelsOf = ({ resources }: Held, deploy: Deploy): Set<string> => {
  const isChannel = ({ type }: { type: string }) => type === 'alert-channel'
  const before = [...resources.values()].filter(isChannel).map(({ physicalId }) => physicalId)
  return new Set([
    ...before,
    ...deploy.resources.filter(isChannel).map(({ physicalId }) => String(physicalId)),
  ])
}

/** Members that the files no longer have. What is imported stays until that is committed. */
const leftOf = ({ resources }: Held, deploy: Deploy): Array<KnownResource & ProjectKeyed> => {
  const wanted = new Set(deploy.resources.map(keyOf))
  return [...resources.values()].filter((one) => one.kind === 'member' && !wanted.has(keyOf(one)))
}

const removeSome = async (
  deployment: Deployment,
  left: ReadonlyArray<KnownResource & ProjectKeyed>,
  which: (type: ResourceType) => boolean,
): Promise<void> => {
  const order = (type: string): number => resourceTypeNames.indexOf(type as ResourceTypeName)
  const some = left.filter(({ type }) => which(resourceTypes[type as ResourceTypeName]))
  for (const one of some.toSorted((a, b) => order(b.type) - order(a.type))) {
    await remove(deployment, one, one)
    deployment.diff.push(changeOf(one, one.physicalId, 'DELETE'))
  }
}

/** Readers of the store and other requests have their turn between so many. */
const perTurn = 20

const applyAll = async (deployment: Deployment): Promise<void> => {
  const resources = deployment.deploy.resources.map((resource, at) => ({ resource, at }))
  let applied = 0
  for (const type of resourceTypeNames) {
    const ofType = resources.filter(({ resource }) => resource.type === type)
    for (const { resource, at } of ofType.toSorted(outerFirst)) {
      await applyResource(deployment, resource, at)
      applied += 1
      if (applied % perTurn === 0) await new Promise((resolve) => setImmediate(resolve))
    }
  }
}

type Listed = { resource: ProjectResource; at: number }

const outerFirst = (a: Listed, b: Listed): number =>
  Number(isInsideAnother(a.resource)) - Number(isInsideAnother(b.resource))

type Holding = { project: ProjectsTable; held: Held; deployment: Deployment }

/** What the project holds from now on: what its files have, and what was imported and is not in them yet. */
const writeHeld = async (trx: Db, { project, held, deployment }: Holding): Promise<void> => {
  const { ids, deploy } = deployment
  const kindOf = (resource: ProjectResource): string =>
    resource.member ? (held.resources.get(keyOf(resource))?.kind ?? 'member') : 'reference'
  const rowOf = (
    { type, logicalId }: ProjectKeyed,
    physicalId: string,
    kind: string,
  ): ProjectResourcesTable => ({
    ...{ project_id: project.id, account_id: project.account_id },
    ...{ type, logical_id: logicalId, physical_id: physicalId, kind },
  })
  const rows = deploy.resources
    .filter((resource) => !isLink(resource))
    .map((one) => rowOf(one, ids.get(keyOf(one)) ?? '', kindOf(one)))
  const imported = [...held.resources.values()].filter(
    (one) => one.kind === 'imported' && !ids.has(keyOf(one)),
  )
  await trx.run(deleteResourcesOfProject, { projectId: project.id })
  await runForRows(trx, projectResourceRows, [
    ...rows,
    ...imported.map((one) => rowOf(one, one.physicalId, 'imported')),
  ])
}
