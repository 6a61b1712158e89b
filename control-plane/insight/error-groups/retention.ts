/** Error groups end when they were not seen again; one that people archived for ever stays archived, so it stays. */
import { sql } from 'kysely'
import { kindOfTable, type RetentionKind } from '../../platform/retention/retention-kind.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'

export const errorGroupsKind: RetentionKind = kindOfTable({
  name: 'error-groups',
  table: 'error_groups',
  setting: 'errorGroups',
  at: 'last_seen_at',
  idsGrow: false,
  isOver: sql`archived_for_ever = 0`,
  beforeRemoval: (trx: Db, over) =>
    trx.execute((k) => k.deleteFrom('root_cause_analyses').where(sql<boolean>`error_group_id in ${over}`)),
})

/** When open groups of a check were last seen: the results of then stay for as long as people see the group. */
export const lastSeenOfOpenGroups = async (db: Db, checkId: string): Promise<number[]> =>
  (await db.all(openGroups, { checkId })).map(({ last_seen_at }) => last_seen_at)

const openGroups = query('open-error-groups', (k, p: { checkId: string }) =>
  k
    .selectFrom('error_groups')
    .select('last_seen_at')
    .where('check_id', '=', p.checkId)
    .where('archived_for_ever', '=', false)
    .where('archived_until_next_event', '=', false),
)
