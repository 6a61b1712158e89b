/**
 * Which service a check belongs to, as it was written. What was said by the check of a service that it leaves is over; of one that it comes to, its
 * history begins now.
 */
import type { Stamp } from '../../platform/services/clock/stamp.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { deleteServiceLink, findServiceLink, saveServiceLink } from '../status-page-services/link-queries.ts'
import { resolveForLeftService, resolveForStoppedCheck } from './open-or-resolve.ts'

type CheckOfService = { accountId: string; checkId: string; active: boolean; serviceId: string | null }

/** Belongs in the transaction that writes the check. */
export const followCheck = async (
  trx: Db,
  { accountId, checkId, active, serviceId }: CheckOfService,
  stamp: Stamp,
): Promise<void> => {
  const before = await trx.get(findServiceLink, { checkId })
  const isOver = before !== undefined && before.service_id !== serviceId
  if (!active) await resolveForStoppedCheck(trx, checkId, stamp)
  else if (isOver) await resolveForLeftService(trx, { checkId, serviceId: before.service_id }, stamp)
  if (serviceId === null) {
    if (isOver) await trx.run(deleteServiceLink, { checkId })
    return
  }
  if (before?.service_id === serviceId && before.active === active) return
  await trx.run(saveServiceLink, {
    check_id: checkId,
    account_id: accountId,
    service_id: serviceId,
    active,
    linked_at: isOver ? stamp.now : (before?.linked_at ?? stamp.now),
    changed_at: stamp.now,
  })
}
