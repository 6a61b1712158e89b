import { query } from '../../platform/store/database/query.ts'

export const deleteImportsOfProject = query('delete-project-imports', (k, p: { projectId: string }) =>
  k.deleteFrom('project_imports').where('project_id', '=', p.projectId),
)
