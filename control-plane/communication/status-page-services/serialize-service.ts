import type { StatusPageServicesTable } from '../../platform/store/database/tables/status-pages.ts'
import { toIso, toIsoOrNull } from '../../platform/words/shapes/instants.ts'
import type { Service } from './schema.ts'

export const serializeService = (row: StatusPageServicesTable): Service => ({
  id: row.id,
  name: row.name,
  accountId: row.account_id,
  created_at: toIso(row.created_at),
  updated_at: toIsoOrNull(row.updated_at),
})
