/** What checks are found by, and what goes with them. Conventions: store/database/tables.ts. */

type CheckTagsTable = { check_id: string; account_id: string; tag: string }

type CheckGroupTagsTable = { group_id: number; account_id: string; tag: string }

/** `doc`: a JSON array of { path, content }, apart from the check's own `doc` because most readers have no use for it. */
type CheckFilesTable = { check_id: string; account_id: string; doc: string }

/** Shared settings of checks. */
export type CheckGroupsTable = {
  id: number
  account_id: string
  name: string
  activated: boolean
  created_at: number
  updated_at: number | null
  version: number
  doc: string
}

/** Both are checks or groups, as `check:<id>` and `group:<id>`. */
export type DependenciesTable = { account_id: string; dependent: string; depends_on: string }

export type CheckTables = {
  dependencies: DependenciesTable
  check_groups: CheckGroupsTable
  check_tags: CheckTagsTable
  check_group_tags: CheckGroupTagsTable
  check_files: CheckFilesTable
}
