/** All SQL about projects, what they hold and how their deployments ended. */
import { query } from '../../platform/store/database/query.ts'
import { rowStatement } from '../../platform/store/database/row-statement.ts'
import type {
  ProjectDeploymentsTable,
  ProjectResourcesTable,
  ProjectsTable,
} from '../../platform/store/database/tables/projects.ts'

type OneProject = { accountId: string; logicalId: string }
type Owned = { accountId: string }

export const findProject = query('find-project', (k, p: OneProject) =>
  k
    .selectFrom('projects')
    .selectAll()
    .where('account_id', '=', p.accountId)
    .where('logical_id', '=', p.logicalId),
)

/** Nobody else deploys it until the transaction ends. */
export const lockProject = query('lock-project', (k, p: OneProject, engine) => {
  const one = k
    .selectFrom('projects')
    .selectAll()
    .where('account_id', '=', p.accountId)
    .where('logical_id', '=', p.logicalId)
  return engine.rowLocks ? one.forUpdate() : one
})

/** Oldest first; an account has a bounded number. */
export const listProjects = query('list-projects', (k, p: Owned) =>
  k
    .selectFrom('projects')
    .selectAll()
    .where('account_id', '=', p.accountId)
    .orderBy('created_at')
    .orderBy('id'),
)

export const countProjects = query('count-projects', (k, p: Owned) =>
  k
    .selectFrom('projects')
    .select((at) => at.fn.countAll<number>().as('total'))
    .where('account_id', '=', p.accountId),
)

/** None where the account has one with this logical id. */
export const insertProject = query('insert-project', (k, p: ProjectsTable) =>
  k
    .insertInto('projects')
    .values({
      id: p.id,
      account_id: p.account_id,
      logical_id: p.logical_id,
      name: p.name,
      repo_url: p.repo_url,
      created_at: p.created_at,
      updated_at: p.updated_at,
      version: p.version,
    })
    .onConflict((met) => met.columns(['account_id', 'logical_id']).doNothing()),
)

type Change = { id: string; name: string; repoUrl: string | null; now: number; version: number }

export const updateProject = query('update-project', (k, p: Change) =>
  k
    .updateTable('projects')
    .set({ name: p.name, repo_url: p.repoUrl, updated_at: p.now, version: p.version })
    .where('id', '=', p.id)
    .returningAll(),
)

export const deleteProject = query('delete-project', (k, p: { id: string }) =>
  k.deleteFrom('projects').where('id', '=', p.id),
)

export const resourcesOfProject = query('resources-of-project', (k, p: { projectId: string }) =>
  k
    .selectFrom('project_resources')
    .selectAll()
    .where('project_id', '=', p.projectId)
    .orderBy('type')
    .orderBy('logical_id'),
)

export const deleteResourcesOfProject = query('delete-resources-of-project', (k, p: { projectId: string }) =>
  k.deleteFrom('project_resources').where('project_id', '=', p.projectId),
)

export const projectResourceRows = rowStatement({
  name: 'insert-project-resource',
  table: 'project_resources',
  valuesOf: (row: ProjectResourcesTable) => ({
    project_id: row.project_id,
    account_id: row.account_id,
    type: row.type,
    logical_id: row.logical_id,
    physical_id: row.physical_id,
    kind: row.kind,
  }),
})

export const insertDeployment = query('insert-project-deployment', (k, p: ProjectDeploymentsTable) =>
  k.insertInto('project_deployments').values({
    id: p.id,
    account_id: p.account_id,
    logical_id: p.logical_id,
    created_at: p.created_at,
    doc: p.doc,
  }),
)

export const findDeployment = query('find-project-deployment', (k, p: OneProject & { id: string }) =>
  k
    .selectFrom('project_deployments')
    .selectAll()
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId)
    .where('logical_id', '=', p.logicalId),
)

/** What is older than the newest so many of an account goes. */
export const keptDeployments = 50

/** The oldest that is kept; ids grow. */
export const oldestKeptDeployment = query('oldest-kept-project-deployment', (k, p: Owned) =>
  k
    .selectFrom('project_deployments')
    .select('id')
    .where('account_id', '=', p.accountId)
    .orderBy('id', 'desc')
    .limit(1)
    .offset(keptDeployments - 1),
)

export const deleteDeploymentsBefore = query(
  'delete-project-deployments-before',
  (k, p: Owned & { id: string }) =>
    k.deleteFrom('project_deployments').where('account_id', '=', p.accountId).where('id', '<', p.id),
)
