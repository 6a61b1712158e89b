/** Who changed what. */
import { query } from '../../platform/database/query.ts'
import type { AuditEntriesTable } from '../../platform/database/tables/sign-in.ts'

/** Of a request that changes in several transactions the first one counts. */
export const insertAuditEntry = query('insert-audit-entry', (k, p: AuditEntriesTable) =>
  k
    .insertInto('audit_entries')
    .values({
      id: p.id,
      account_id: p.account_id,
      created_at: p.created_at,
      actor_kind: p.actor_kind,
      actor_id: p.actor_id,
      actor_name: p.actor_name,
      address: p.address,
      action: p.action,
      resource_type: p.resource_type,
      resource_id: p.resource_id,
      before: p.before,
      after: p.after,
    })
    .onConflict((conflict) => conflict.column('id').doNothing()),
)
