/** SQL of what subscribers were told about maintenances. */
import { query } from '../../platform/store/database/query.ts'

/** Of all accounts: those that were not over at `after`. */
export const windowsToAnnounce = query('windows-to-announce', (k, p: { after: number }) =>
  k
    .selectFrom('maintenance_windows')
    .selectAll()
    .where((at) => at.or([at('over_at', 'is', null), at('over_at', '>', p.after)]))
    .orderBy('id'),
)

type Notice = { windowId: number; date: string; notice: string; now: number }

/** Changes nothing when it was told already. */
export const insertNotice = query('insert-maintenance-notice', (k, p: Notice) =>
  k
    .insertInto('maintenance_notices')
    .values({ window_id: p.windowId, date: p.date, notice: p.notice, noticed_at: p.now })
    .onConflict((conflict) => conflict.columns(['window_id', 'date', 'notice']).doNothing()),
)

export const deleteOldNotices = query('delete-old-maintenance-notices', (k, p: { before: number }) =>
  k.deleteFrom('maintenance_notices').where('noticed_at', '<', p.before),
)
