import type { Stamp } from '../../platform/clock/stamp.ts'
import type { Db } from '../../platform/database/db.ts'
import { timerOf } from './heartbeat.ts'
import { raiseAlarm } from './heartbeat-timer.ts'
import { lockHeartbeatWithName } from './queries.ts'
import { recordEvent } from './record-event.ts'

/**
 * Raises the alarm if the ping is still overdue: another control plane or a late ping may have been faster. Returns the
 * names to wake after the commit.
 */
export const raiseOverdue = async (trx: Db, checkId: string, { now, newId }: Stamp): Promise<string[]> => {
  const row = await trx.get(lockHeartbeatWithName, { checkId })
  if (!row || row.deadline_at === null || row.deadline_at >= now) return []
  const timer = raiseAlarm(timerOf(row), now)
  const happening = { now, id: newId(), source: null, userAgent: null }
  return recordEvent(trx, row, happening, { timer, event: 'FAILING', newId })
}
