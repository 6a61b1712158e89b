import type { Stamp } from '../../../platform/services/clock/stamp.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import type { MissedDueTime } from '../../outcomes/consequences.ts'
import { recordUnknown } from './queries.ts'

/**
 * The check's status after a due time that no agent could have run: what an earlier run saw says nothing of now. A check
 * that failed goes on failing, as its alert does, until a run says otherwise.
 */
export const recordMissedStatus = async (
  trx: Db,
  { checkId, accountId, reason, dueAt }: MissedDueTime,
  { now }: Pick<Stamp, 'now'>,
): Promise<void> => {
  if (reason === 'NO_AGENT') await trx.run(recordUnknown, { checkId, accountId, dueAt, now })
}
