/** All SQL about the health of groups as a whole. */
import { sql } from 'kysely'
import type { Db } from '../../platform/store/database/db.ts'
import { integer, text } from '../../platform/store/database/ddl.ts'
import { query } from '../../platform/store/database/query.ts'
import type { CheckGroupHealthTable } from '../../platform/store/database/tables/alert-states.ts'

export const groupHealthWakeup = 'group-health'

type MarkedGroup = { group_id: number; account_id: string }

/**
 * Something that these groups are judged by has changed: they are looked at after the commit. In the order of their ids, and waiting for
 * whoever looks at one just now, who may not have seen it yet.
 */
export const markGroups = query(
  'mark-group-health',
  (k, p: { groups: readonly MarkedGroup[]; now: number }, engine) =>
    k
      .insertInto('check_group_health')
      .columns(['group_id', 'account_id', 'state', 'since', 'told', 'failing', 'counted', 'wake_at'])
      .expression(
        k
          .selectFrom(
            engine.rowList(p.groups, { group_id: integer, account_id: text }).$castTo<MarkedGroup>().as('r'),
          )
          .select((at) => [
            'r.group_id',
            'r.account_id',
            sql.lit('unknown').as('state'),
            at.cast<number>(at.val(p.now), 'bigint').as('since'),
            sql<string | null>`cast(null as text)`.as('told'),
            sql.lit(0).as('failing'),
            sql.lit(0).as('counted'),
            at.cast<number>(at.val(p.now), 'bigint').as('wake_at'),
          ])
          // SQLite would take `on conflict` for a join without it.
          .where(sql<boolean>`true`)
          .orderBy('r.group_id'),
      )
      .onConflict((conflict) =>
        conflict.column('group_id').doUpdateSet((set) => ({ wake_at: set.ref('excluded.wake_at') })),
      ),
)

export const dueGroups = query('due-group-health', (k, p: { now: number; limit: number }) =>
  k
    .selectFrom('check_group_health')
    .select('group_id')
    .where('wake_at', '<=', p.now)
    .orderBy('wake_at')
    .limit(p.limit),
)

/** The one who still finds it due has it until the end of the transaction. */
export const lockDueGroup = query(
  'lock-due-group-health',
  (k, p: { groupId: number; now: number }, engine) => {
    const one = k
      .selectFrom('check_group_health')
      .selectAll()
      .where('group_id', '=', p.groupId)
      .where('wake_at', '<=', p.now)
    return engine.rowLocks ? one.forUpdate() : one
  },
)

type Judged = {
  groupId: number
  state: string
  since: number
  told: string | null
  failing: number
  counted: number
  wakeAt: number
}

/** Of a row that is held. */
export const saveGroupHealth = query('save-group-health', (k, p: Judged) =>
  k
    .updateTable('check_group_health')
    .set({
      state: p.state,
      since: p.since,
      told: p.told,
      failing: p.failing,
      counted: p.counted,
      wake_at: p.wakeAt,
    })
    .where('group_id', '=', p.groupId),
)

export const deleteGroupHealth = query('delete-group-health', (k, p: { groupId: number }) =>
  k.deleteFrom('check_group_health').where('group_id', '=', p.groupId),
)

type HealthRow = Omit<CheckGroupHealthTable, 'account_id' | 'wake_at'>

/** Those without a health of their own are left out. */
export const healthOfGroups = (db: Db, accountId: string, ids: readonly number[]): Promise<HealthRow[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : db.select((k) =>
        k
          .selectFrom('check_group_health')
          .select(['group_id', 'state', 'since', 'told', 'failing', 'counted'])
          .where('account_id', '=', accountId)
          .where('group_id', 'in', ids),
      )
