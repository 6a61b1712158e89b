import type { App } from '../app.ts'
import type { Db } from '../database/db.ts'
import { takeAlarm } from './heartbeat.ts'
import { restartGraceMs } from './heartbeat-timer.ts'
import { deadlinesBetween, moveDeadline, overdueHeartbeats } from './queries.ts'

const alarmsPerTransaction = 500

/** Raises the alarm of every heartbeat whose grace is over. */
export const heartbeatTick = async (app: App): Promise<void> => {
  for (;;) {
    const now = app.clock.now()
    const overdue = await app.db.all(overdueHeartbeats, { now, limit: alarmsPerTransaction })
    if (overdue.length === 0) return
    await app.db.transaction(async (trx) => {
      for (const { check_id } of overdue) await takeAlarm(trx, check_id, { now, id: app.newId() })
    })
    if (overdue.length < alarmsPerTransaction) return
  }
}

/** Our own downtime raises no alarm: deadlines that passed in it are moved. */
export const forgiveDowntime = async (
  trx: Db,
  { downSince, now }: { downSince: number; now: number },
): Promise<void> => {
  for (const row of await trx.all(deadlinesBetween, { after: downSince, until: now })) {
    const timer = { graceMs: row.grace_ms, periodMs: row.period_ms }
    await trx.run(moveDeadline, { checkId: row.check_id, deadlineAt: now + restartGraceMs(timer) })
  }
}
