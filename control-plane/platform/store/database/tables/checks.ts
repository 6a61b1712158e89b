/** What checks are found by, and what goes with them. Conventions: store/database/tables.ts. */

type CheckTagsTable = { check_id: string; account_id: string; tag: string }

type CheckGroupTagsTable = { group_id: number; account_id: string; tag: string }

/** `doc`: a JSON array of { path, content }, apart from the check's own `doc` because most readers have no use for it. */
type CheckFilesTable = { check_id: string; account_id: string; doc: string }

export type CheckTables = {
  check_tags: CheckTagsTable
  check_group_tags: CheckGroupTagsTable
  check_files: CheckFilesTable
}
