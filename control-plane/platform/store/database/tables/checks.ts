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

/** An address that runs a check or the checks of a group for whoever knows it. */
export type CheckTriggersTable = {
  /** As people know it. */
  id: number
  account_id: string
  kind: 'check' | 'group'
  /** The id of the check, or of the group. */
  target: string
  sealed_token: string
  created_at: number
  called_at: number | null
}

export type CheckTables = {
  dependencies: DependenciesTable
  check_triggers: CheckTriggersTable
  check_groups: CheckGroupsTable
  check_tags: CheckTagsTable
  check_group_tags: CheckGroupTagsTable
  check_files: CheckFilesTable
}
