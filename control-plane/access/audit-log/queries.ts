/** The log as it is read: newest first, from a place on. */

import { kindOfTable, type RetentionKind } from '../../platform/retention/retention-kind.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'
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

/** Whom entries may be by: of who left, they keep the name. */
export const membersByName = query('members-by-name', (k, p: { accountId: string; limit: number }) =>
  k
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['u.id', 'u.name', 'u.email'])
    .where('m.account_id', '=', p.accountId)
    .orderBy('u.email')
    .limit(p.limit),
)

export const serviceKeysByName = query('service-keys-by-name', (k, p: { accountId: string; limit: number }) =>
  k
    .selectFrom('api_keys')
    .select(['id', 'name'])
    .where('account_id', '=', p.accountId)
    .where('kind', '=', 'service')
    .orderBy('name')
    .limit(p.limit),
)

/** How it ends. */
export const auditKind: RetentionKind = kindOfTable({
  name: 'audit',
  table: 'audit_entries',
  setting: 'audit',
  at: 'created_at',
  idsGrow: true,
})
