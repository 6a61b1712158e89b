/** Sign-ins and what belongs to them: entries that no route of the API writes. */
import type { App } from '../../platform/app/app.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { insertAuditEntry } from '../../platform/web/audit/queries.ts'

type AccessEvent = {
  accountId: string
  actorKind: 'SESSION' | 'SERVICE_KEY'
  actorId: string
  actorName: string
  address: string
  action: string
  resourceId: string | null
}

export const recordAccess = async (app: App, db: Db, event: AccessEvent): Promise<void> => {
  await db.run(insertAuditEntry, {
    id: app.newId(),
    account_id: event.accountId,
    created_at: app.clock.now(),
    actor_kind: event.actorKind,
    actor_id: event.actorId,
    actor_name: event.actorName,
    address: event.address,
    action: event.action,
    resource_type: 'sign-in',
    resource_id: event.resourceId,
    resource_name: null,
    before: null,
    after: null,
  })
}
