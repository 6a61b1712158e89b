import type { App } from '../../../platform/app/app.ts'
import type { HasWakeups } from '../../../platform/doors/clock/wakeups.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import type { HasFinishedRuns } from '../../outcomes/finished-runs.ts'
import { maxToleranceMs, restartGraceMs } from '../../schedule/heartbeat-timer.ts'
import { awaitedSince, moveDeadline, overdueHeartbeats } from './queries.ts'
import { type Alarm, raiseOverdue } from './raise-overdue.ts'

const alarmsPerTransaction = 500

/** Raises the alarm of every heartbeat whose grace is over. */
export const heartbeatTick = async (app: App & HasFinishedRuns & HasWakeups): Promise<void> => {
  for (;;) {
    const now = app.clock.now()
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

/** Our own downtime raises no alarm: whoever was to ping while we were away gets the grace from now on. */
export const forgiveDowntime = async (
  trx: Db,
  { downSince, now }: { downSince: number; now: number },
): Promise<void> => {
  const awaited = { downSince, expectedBy: now + maxToleranceMs }
  for (const row of await trx.all(awaitedSince, awaited)) {
    const graceEnds = now + restartGraceMs({ graceMs: row.grace_ms, periodMs: row.period_ms })
    if (graceEnds > (row.deadline_at ?? 0))
      await trx.run(moveDeadline, { checkId: row.check_id, deadlineAt: graceEnds })
  }
}
