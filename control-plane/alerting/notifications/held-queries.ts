/** All SQL about notifications that wait for the hours of their channel. One that was claimed once waits no longer. */

import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'
import { notificationDoc } from './notification-doc.ts'

/** `OPENING`: the channel has heard nothing of this failure; `FOLLOWING`: it has; `ALONE`: of no failure at all. */
export type Held = 'OPENING' | 'FOLLOWING' | 'ALONE'

/** Locked: who sends one is waited for, or does not get it. */
export const heldOfChecks = query('held-of-checks', (k, p: { checkIds: readonly string[] }, engine) => {
  const held = k
    .selectFrom('alert_notifications')
    .select(['id', 'check_id', 'channel_id', 'held'])
    .where('check_id', 'in', engine.textList(p.checkIds))
    .where('held', 'in', ['OPENING', 'FOLLOWING'])
    .where('due_at', 'is not', null)
    .where('claims', '=', 0)
    .orderBy('id')
  return engine.rowLocks ? held.forUpdate() : held
})

const docsOf = query('docs-of-notifications', (k, p: { ids: readonly string[] }, engine) =>
  k.selectFrom('alert_notifications').select(['id', 'doc']).where('id', 'in', engine.textList(p.ids)),
)

const withdraw = query('withdraw-notification', (k, p: { id: string; doc: string }) =>
  k
    .updateTable('alert_notifications')
    .set({ status: 'WITHDRAWN', due_at: null, doc: p.doc })
    .where('id', '=', p.id),
)

export const withdrawHeld = async (trx: Db, ids: readonly string[], reason: string): Promise<void> => {
  for (const { id, doc } of await trx.all(docsOf, { ids }))
    await trx.run(withdraw, {
      id,
      doc: notificationDoc.write({ ...notificationDoc.read(doc), notificationResult: reason }),
    })
}
