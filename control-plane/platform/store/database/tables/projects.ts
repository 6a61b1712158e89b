/** What clients deploy from files. Conventions: store/database/tables.ts. */

/** `version` grows with every deployment: what was planned from an older one is planned anew. */
export type ProjectsTable = {
  id: string
  account_id: string
  logical_id: string
  name: string
  repo_url: string | null
  created_at: number
  updated_at: number | null
  version: number
}

/**
 * What a logical id of a project stands for. `kind`: `member` is made by the project and goes with it, `imported` was taken
 * up and stays until that is committed, `reference` is somebody else's.
 */
export type ProjectResourcesTable = {
  project_id: string
  account_id: string
  type: string
  logical_id: string
  physical_id: string
  kind: string
}

/** How a deployment or deletion ended, for those who ask for it. */
export type ProjectDeploymentsTable = {
  id: string
  account_id: string
  logical_id: string
  created_at: number
  doc: string
}

/** A list of resources that exist, on their way into a project. */
export type ProjectImportsTable = {
  id: string
  account_id: string
  project_id: string
  created_at: number
  applied_at: number | null
  committed_at: number | null
  doc: string
}

export type ProjectTables = {
  projects: ProjectsTable
  project_resources: ProjectResourcesTable
  project_deployments: ProjectDeploymentsTable
  project_imports: ProjectImportsTable
}
