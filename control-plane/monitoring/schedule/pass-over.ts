import { pausesWithin } from '../../communication/maintenance-windows/active-windows.ts'
import { windowsOfAccount } from '../../communication/maintenance-windows/window-plans.ts'
import type { Stamp } from '../../platform/services/clock/stamp.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { SchedulesTable } from '../../platform/store/database/tables/runs.ts'
import { missOrAwait } from './miss-or-await.ts'
import { type MissedRange, planSlots } from './plan-slots.ts'
import { scheduleOf } from './schedule-queries.ts'
import { withoutPauses } from './without-pauses.ts'

/** What was due in an outage and has not been planned when the check is changed, was due by the old plan. */
export const passOver = async (
  trx: Db,
  schedule: SchedulesTable,
  { tags, now, newId }: Stamp & { tags: readonly string[] },
): Promise<void> => {
  const { jobs, missed } = planSlots(scheduleOf(schedule), now, 0)
  const alone = jobs.map(({ dueAt, location }): MissedRange => {
    return { location, firstDueAt: dueAt, lastDueAt: dueAt, stepMs: schedule.period_ms, count: 1 }
  })
  const within = { from: schedule.next_at, to: now + 1 }
  const pauses = pausesWithin(await windowsOfAccount(trx, schedule.account_id, within.from), within)(tags)
  const passed = withoutPauses(
    { jobs: [], missed: [...missed, ...alone], nextAt: now, turn: 0 },
    pauses,
  ).missed
  await missOrAwait(
    trx,
    passed.map((range) => ({
      ...range,
      id: newId(),
      accountId: schedule.account_id,
      checkId: schedule.check_id,
      reason: 'CONTROL_PLANE_DOWN' as const,
      detail:
        'No control plane was at work at that time, and the check was changed before it was planned again.',
      now,
    })),
  )
}
