/** All SQL about import plans: lists of resources on their way into a project. */
import { query } from '../../platform/store/database/query.ts'
import type { ProjectImportsTable } from '../../platform/store/database/tables/projects.ts'

type Owned = { accountId: string }

export const insertImport = query('insert-project-import', (k, p: ProjectImportsTable) =>
  k.insertInto('project_imports').values({
    id: p.id,
    account_id: p.account_id,
    project_id: p.project_id,
    created_at: p.created_at,
    applied_at: p.applied_at,
    committed_at: p.committed_at,
    doc: p.doc,
  }),
)

/** Nobody else applies, commits or cancels it until the transaction ends. */
export const lockImport = query('lock-project-import', (k, p: Owned & { id: string }, engine) => {
  const one = k
    .selectFrom('project_imports')
    .selectAll()
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId)
  return engine.rowLocks ? one.forUpdate() : one
})

/** Oldest first; bounded in number. */
export const importsOfAccount = query('project-imports-of-account', (k, p: Owned) =>
  k.selectFrom('project_imports').selectAll().where('account_id', '=', p.accountId).orderBy('id'),
)

export const markImportApplied = query('mark-project-import-applied', (k, p: { id: string; now: number }) =>
  k.updateTable('project_imports').set({ applied_at: p.now }).where('id', '=', p.id),
)

export const deleteImport = query('delete-project-import', (k, p: { id: string }) =>
  k.deleteFrom('project_imports').where('id', '=', p.id),
)

export const deleteImportsOfProject = query('delete-project-imports', (k, p: { projectId: string }) =>
  k.deleteFrom('project_imports').where('project_id', '=', p.projectId),
)

type Named = { projectId: string; type: string; logicalId: string }

export const commitResource = query('commit-project-resource', (k, p: Named) =>
  k
    .updateTable('project_resources')
    .set({ kind: 'member' })
    .where('project_id', '=', p.projectId)
    .where('type', '=', p.type)
    .where('logical_id', '=', p.logicalId)
    .where('kind', '=', 'imported'),
)

export const unlinkResource = query('unlink-project-resource', (k, p: Named) =>
  k
    .deleteFrom('project_resources')
    .where('project_id', '=', p.projectId)
    .where('type', '=', p.type)
    .where('logical_id', '=', p.logicalId)
    .where('kind', '=', 'imported'),
)

/** What belongs to any project of the account. */
export const ownedResources = query('owned-project-resources', (k, p: Owned) =>
  k
    .selectFrom('project_resources')
    .select(['type', 'physical_id'])
    .where('account_id', '=', p.accountId)
    .where('kind', '<>', 'reference'),
)

/** What was planned is planned anew. */
export const touchProject = query('touch-project', (k, p: { id: string }) =>
  k
    .updateTable('projects')
    .set((at) => ({ version: at('version', '+', 1) }))
    .where('id', '=', p.id)
    .returningAll(),
)
