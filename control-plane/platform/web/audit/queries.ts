/** Who changed what. */
import { query } from '../../store/database/query.ts'
import type { AuditEntriesTable } from '../../store/database/tables/sign-in.ts'

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
      resource_name: p.resource_name,
      before: p.before,
      after: p.after,
    })
    .onConflict((conflict) => conflict.column('id').doNothing()),
)

type Outcome = {
  id: string
  resourceId: string | null
  resourceName: string | null
  before: string | null
  after: string | null
}

export const completeAuditEntry = query('complete-audit-entry', (k, p: Outcome) =>
  k
    .updateTable('audit_entries')
    .set({
      resource_id: p.resourceId,
      resource_name: p.resourceName,
      before: p.before,
      after: p.after,
    })
    .where('id', '=', p.id),
)

export const nameOfUser = query('name-of-user', (k, p: { userId: string }) =>
  k.selectFrom('users').select(['email', 'name']).where('id', '=', p.userId),
)

export const nameOfKey = query('name-of-key', (k, p: { keyId: string }) =>
  k.selectFrom('api_keys').select('name').where('id', '=', p.keyId),
)
