/** All SQL about maintenance windows; that of their single occurrences is in occurrence-queries.ts. */

import type { Db } from '../../platform/store/database/db.ts'
import { documentQueries } from '../../platform/store/database/document-queries.ts'
import type { Engine } from '../../platform/store/database/engines.ts'
import { hasText } from '../../platform/store/database/has-text.ts'
import { query } from '../../platform/store/database/query.ts'
import type { MaintenanceWindowsTable } from '../../platform/store/database/tables/maintenance-windows.ts'

/** Whoever locks a window holds its occurrences, too. */
export const {
  find: findWindow,
  lock: lockWindow,
  insert: insertWindow,
  update: updateWindow,
  remove: deleteWindow,
} = documentQueries('maintenance_windows', {
  name: 'window',
  key: 'id',
  columns: {
    name: 'changes',
    starts_at: 'changes',
    ends_at: 'changes',
    over_at: 'changes',
    created_at: 'stays',
    updated_at: 'changes',
    version: 'changes',
    doc: 'changes',
  },
})

/** Somebody touched an occurrence: when the window is over is open from now on. */
export const keepWindowOpen = query('keep-window-open', (k, p: { id: number }) =>
  k.updateTable('maintenance_windows').set({ over_at: null }).where('id', '=', p.id),
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

export const accountsWithOpenWindows = query('accounts-with-open-windows', (k, p: { now: number }) =>
  k
    .selectFrom('maintenance_windows')
    .select('account_id')
    .distinct()
    .where((at) => at.or([at('over_at', 'is', null), at('over_at', '>', p.now)])),
)

const operators = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const
export type Constraint = {
  column: 'starts_at' | 'ends_at'
  operator: keyof typeof operators
  value: number
}
type Filter = {
  accountId: string
  constraints: Constraint[]
  /** Part of the name or a tag, in any case. */
  search?: string | undefined
}

const filtered = (k: Builder, engine: Engine, { accountId, constraints, search }: Filter) => {
  let list = k.selectFrom('maintenance_windows').where('account_id', '=', accountId)
  for (const { column, operator, value } of constraints) list = list.where(column, operators[operator], value)
  return search === undefined ? list : list.where(hasText(engine, searchable, search))
}

const searchable = { columns: ['name'], paths: ['tags'] }
type Builder = Parameters<Parameters<Db['select']>[0]>[0]

/** Oldest first: a window keeps its place. */
export const listWindows = (
  db: Db,
  filter: Filter,
  { limit, offset }: { limit: number; offset: number },
): Promise<MaintenanceWindowsTable[]> =>
  db.select((k, engine) => filtered(k, engine, filter).selectAll().orderBy('id').limit(limit).offset(offset))

export const countWindows = async (db: Db, filter: Filter): Promise<number> => {
  const [row] = await db.select((k, engine) =>
    filtered(k, engine, filter).select((at) => at.fn.countAll<number>().as('total')),
  )
  return row?.total ?? 0
}
