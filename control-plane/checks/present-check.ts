import type { ChecksTable } from '../database/tables/runs.ts'
import { toIso, toIsoOrNull } from '../instant.ts'
import type { Check } from './schema.ts'

/** A stored check as the API shows it. */
export const presentCheck = (row: ChecksTable): Check => ({
  ...JSON.parse(row.doc),
  id: row.id,
  checkType: row.type,
  alertChannels: { email: [], webhook: [], slack: [], sms: [] },
  created_at: toIso(row.created_at),
  updated_at: toIsoOrNull(row.updated_at),
})
