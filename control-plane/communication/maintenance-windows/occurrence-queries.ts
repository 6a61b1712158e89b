/** All SQL about single occurrences: moved, removed, and the updates posted about them. */
import { query } from '../../platform/store/database/query.ts'
import type { MaintenanceUpdatesTable } from '../../platform/store/database/tables/maintenance-windows.ts'

type OneDate = { windowId: number; date: string }

export const exceptionsOfWindow = query('exceptions-of-window', (k, p: { windowId: number }) =>
  k.selectFrom('maintenance_exceptions').selectAll().where('window_id', '=', p.windowId),
)

type NewException = OneDate & {
  accountId: string
  startsAt: number | null
  endsAt: number | null
  deleted: boolean
  now: number
}

export const saveException = query('save-exception', (k, p: NewException) => {
  const changing = {
    starts_at: p.startsAt,
    ends_at: p.endsAt,
    deleted: p.deleted,
    updated_at: p.now,
  }
  return k
    .insertInto('maintenance_exceptions')
    .values({ window_id: p.windowId, date: p.date, account_id: p.accountId, ...changing })
    .onConflict((conflict) => conflict.columns(['window_id', 'date']).doUpdateSet(changing))
})

export const deleteException = query('delete-exception', (k, p: OneDate) =>
  k.deleteFrom('maintenance_exceptions').where('window_id', '=', p.windowId).where('date', '=', p.date),
)

export const deleteExceptionsOfWindow = query('delete-exceptions-of-window', (k, p: { windowId: number }) =>
  k.deleteFrom('maintenance_exceptions').where('window_id', '=', p.windowId),
)

/** Oldest first. */
export const updatesOfWindow = query(
  'updates-of-window',
  (k, p: { windowId: number; fromDate: string; toDate: string }) =>
    k
      .selectFrom('maintenance_updates')
      .selectAll()
      .where('window_id', '=', p.windowId)
      .where('date', '>=', p.fromDate)
      .where('date', '<=', p.toDate)
      .orderBy('created_at')
      .orderBy('id'),
)

export const findUpdate = query('find-maintenance-update', (k, p: OneDate & { id: string }) =>
  k
    .selectFrom('maintenance_updates')
    .selectAll()
    .where('id', '=', p.id)
    .where('window_id', '=', p.windowId)
    .where('date', '=', p.date),
)

export const insertUpdate = query('insert-maintenance-update', (k, p: MaintenanceUpdatesTable) =>
  k.insertInto('maintenance_updates').values({
    id: p.id,
    account_id: p.account_id,
    window_id: p.window_id,
    date: p.date,
    status: p.status,
    description: p.description,
    translations: p.translations,
    notify_subscribers: p.notify_subscribers,
    created_at: p.created_at,
    updated_at: p.updated_at,
  }),
)

export const changeUpdate = query('change-maintenance-update', (k, p: MaintenanceUpdatesTable) =>
  k
    .updateTable('maintenance_updates')
    .set({
      status: p.status,
      description: p.description,
      translations: p.translations,
      updated_at: p.updated_at,
    })
    .where('id', '=', p.id),
)

export const deleteUpdate = query('delete-maintenance-update', (k, p: OneDate & { id: string }) =>
  k
    .deleteFrom('maintenance_updates')
    .where('id', '=', p.id)
    .where('window_id', '=', p.windowId)
    .where('date', '=', p.date),
)

export const deleteUpdatesOfDate = query('delete-updates-of-date', (k, p: OneDate) =>
  k.deleteFrom('maintenance_updates').where('window_id', '=', p.windowId).where('date', '=', p.date),
)

export const deleteUpdatesOfWindow = query('delete-updates-of-window', (k, p: { windowId: number }) =>
  k.deleteFrom('maintenance_updates').where('window_id', '=', p.windowId),
)
