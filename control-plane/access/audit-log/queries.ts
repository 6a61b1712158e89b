/** The log as it is read: newest first, from a place on. */

import { kindOfTable, type RetentionKind } from '../../platform/retention/retention-kind.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { AuditEntriesTable } from '../../platform/store/database/tables/sign-in.ts'

type AuditFilter = {
  actorId?: string | undefined
  resourceType?: string | undefined
  resourceId?: string | undefined
  from?: number | undefined
  to?: number | undefined
}

type Page = AuditFilter & {
  accountId: string
  before: { createdAt: number; id: string } | undefined
  limit: number
}

export const auditEntries = (db: Db, page: Page): Promise<AuditEntriesTable[]> =>
  db.select<AuditEntriesTable>((k) => {
    const { accountId, actorId, resourceType, resourceId, from, to, before, limit } = page
    let rows = k.selectFrom('audit_entries').selectAll().where('account_id', '=', accountId)
    if (actorId !== undefined) rows = rows.where('actor_id', '=', actorId)
    if (resourceType !== undefined) rows = rows.where('resource_type', '=', resourceType)
    if (resourceId !== undefined) rows = rows.where('resource_id', '=', resourceId)
    if (from !== undefined) rows = rows.where('created_at', '>=', from)
    if (to !== undefined) rows = rows.where('created_at', '<', to)
    if (before !== undefined)
      rows = rows.where((at) =>
        at.or([
          at('created_at', '<', before.createdAt),
          at.and([at('created_at', '=', before.createdAt), at('id', '<', before.id)]),
        ]),
      )
    return rows.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit)
  })

/** How it ends. */
export const auditKind: RetentionKind = kindOfTable({
  name: 'audit',
  table: 'audit_entries',
  setting: 'audit',
  at: 'created_at',
  idsGrow: true,
})
