/** All SQL about maintenance windows; that of their single occurrences is in occurrence-queries.ts. */
import type { Db } from '../../platform/database/db.ts'
import { query } from '../../platform/database/query.ts'
import type { MaintenanceWindowsTable } from '../../platform/database/tables/maintenance-windows.ts'

type OneWindow = { id: number; accountId: string }

export const findWindow = query('find-window', (k, p: OneWindow) =>
  k
    .selectFrom('maintenance_windows')
    .selectAll()
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId),
)

/** For a change that builds on what is there: nobody else changes the window or its occurrences meanwhile. */
export const lockWindow = query('lock-window', (k, p: OneWindow, engine) => {
  const one = k
    .selectFrom('maintenance_windows')
    .selectAll()
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId)
  return engine.rowLocks ? one.forUpdate() : one
})

export const insertWindow = query('insert-window', (k, p: MaintenanceWindowsTable) =>
  k.insertInto('maintenance_windows').values({
    id: p.id,
    account_id: p.account_id,
    name: p.name,
    starts_at: p.starts_at,
    ends_at: p.ends_at,
    over_at: p.over_at,
    created_at: p.created_at,
    updated_at: p.updated_at,
    version: p.version,
    doc: p.doc,
  }),
)

export const updateWindow = query('update-window', (k, p: MaintenanceWindowsTable) =>
  k
    .updateTable('maintenance_windows')
    .set({
      name: p.name,
      starts_at: p.starts_at,
      ends_at: p.ends_at,
      over_at: p.over_at,
      updated_at: p.updated_at,
      version: p.version,
      doc: p.doc,
    })
    .where('id', '=', p.id)
    .where('account_id', '=', p.account_id),
)

/** Somebody touched an occurrence: when the window is over is open from now on. */
export const keepWindowOpen = query('keep-window-open', (k, p: { id: number }) =>
  k.updateTable('maintenance_windows').set({ over_at: null }).where('id', '=', p.id),
)

export const deleteWindow = query('delete-window', (k, p: OneWindow) =>
  k.deleteFrom('maintenance_windows').where('id', '=', p.id).where('account_id', '=', p.accountId),
)

/** Ordered by id, so that two who lock several take them in the same order. */
export const lockWindowsOfAccount = query(
  'lock-windows-of-account',
  (k, p: { accountId: string }, engine) => {
    const all = k
      .selectFrom('maintenance_windows')
      .selectAll()
      .where('account_id', '=', p.accountId)
      .orderBy('id')
    return engine.rowLocks ? all.forUpdate() : all
  },
)

/** Windows of several accounts that may still act on something. */
export const openWindows = query(
  'open-windows',
  (k, p: { accountIds: readonly string[]; now: number }, engine) =>
    k
      .selectFrom('maintenance_windows')
      .selectAll()
      .where('account_id', 'in', engine.textList(p.accountIds))
      .where((at) => at.or([at('over_at', 'is', null), at('over_at', '>', p.now)]))
      .orderBy('id'),
)

const operators = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const
export type Constraint = {
  column: 'starts_at' | 'ends_at'
  operator: keyof typeof operators
  value: number
}
type Filter = { accountId: string; constraints: Constraint[] }

/** Oldest first: a window keeps its place. */
export const listWindows = (
  db: Db,
  { accountId, constraints }: Filter,
  { limit, offset }: { limit: number; offset: number },
): Promise<MaintenanceWindowsTable[]> =>
  db.select((k) => {
    let list = k.selectFrom('maintenance_windows').selectAll().where('account_id', '=', accountId)
    for (const { column, operator, value } of constraints)
      list = list.where(column, operators[operator], value)
    return list.orderBy('id').limit(limit).offset(offset)
  })

export const countWindows = async (db: Db, { accountId, constraints }: Filter): Promise<number> => {
  const [row] = await db.select((k) => {
    let list = k
      .selectFrom('maintenance_windows')
      .select((at) => at.fn.countAll<number>().as('total'))
      .where('account_id', '=', accountId)
    for (const { column, operator, value } of constraints)
      list = list.where(column, operators[operator], value)
    return list
  })
  return row?.total ?? 0
}
