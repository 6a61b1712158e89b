import type { Stamp } from '../../../platform/services/clock/stamp.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import type { FinishedRun } from '../../outcomes/finished-runs.ts'
import { timerOf } from '../../schedule/heartbeat.ts'
import { lockHeartbeatWithName } from '../../schedule/heartbeat-queries.ts'
import { raiseAlarm } from '../../schedule/heartbeat-timer.ts'
import { finishedEvent, recordEvent } from './record-event.ts'

/** Whom to wake and what to tell after the commit. */
export type Alarm = { wake: string[]; finished: FinishedRun }

/**
 * Raises the alarm if the ping is still overdue: another control plane or a late ping may have been faster. Null: it is
 * not any more.
 */
export const raiseOverdue = async (
  trx: Db,
  checkId: string,
  { now, newId }: Stamp,
): Promise<Alarm | null> => {
  const row = await trx.get(lockHeartbeatWithName, { checkId })
  if (!row || row.deadline_at === null || row.deadline_at >= now) return null
  const timer = raiseAlarm(timerOf(row), now)
  const happening = { now, id: newId(), source: null, userAgent: null }
  const wake = await recordEvent(trx, row, happening, { timer, event: 'FAILING', newId })
  return { wake, finished: finishedEvent(row, happening, 'FAILING') }
}
