/** Shared settings of checks. Conventions: store/database/tables.ts. */

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

export type CheckGroupTables = { check_groups: CheckGroupsTable }
