import type { App } from '../../../platform/app/app.ts'
import type { HasWakeups } from '../../../platform/services/clock/wakeups.ts'
import type { HasFinishedRuns } from '../../outcomes/finished-runs.ts'
import { overdueHeartbeats } from '../../schedule/heartbeat-queries.ts'
import { type Alarm, raiseOverdue } from './raise-overdue.ts'

const alarmsPerTransaction = 500

/** Raises the alarm of every heartbeat whose grace is over. */
export const heartbeatTick = async (
  app: App & HasFinishedRuns & HasWakeups,
  _signal?: AbortSignal,
  knownUntil = Number.POSITIVE_INFINITY,
): Promise<void> => {
  for (;;) {
    const now = Math.min(app.clock.now(), knownUntil)
    const overdue = await app.db.all(overdueHeartbeats, { now, limit: alarmsPerTransaction })
    if (overdue.length === 0) return
    const alarms = await app.db.transaction(async (trx) => {
      const raised: Array<Alarm | null> = []
      for (const { check_id } of overdue)
        raised.push(await raiseOverdue(trx, check_id, { now, newId: app.newId }))
      return raised.filter((alarm) => alarm !== null)
    })
    for (const name of new Set(alarms.flatMap(({ wake }) => wake))) app.wakeups.wake(name)
    app.finishedRuns.publish(alarms.map(({ finished }) => finished))
    if (overdue.length < alarmsPerTransaction) return
  }
}
