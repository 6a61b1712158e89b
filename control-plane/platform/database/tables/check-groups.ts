/** Shared settings of checks. Conventions: database/tables.ts. */
import type { Bit } from './columns.ts'

export type CheckGroupsTable = {
  id: number
  account_id: string
  name: string
  activated: Bit
  created_at: number
  updated_at: number | null
  version: number
  doc: string
}

export type CheckGroupTables = { check_groups: CheckGroupsTable }
