import { Type } from 'typebox'
import type { Db } from '../../platform/store/database/db.ts'
import { integer, text } from '../../platform/store/database/ddl.ts'
import { freeRows } from '../../platform/store/database/free-rows.ts'
import { query } from '../../platform/store/database/query.ts'
import { rowStatement, runForRows } from '../../platform/store/database/row-statement.ts'
import { storedList } from '../../platform/store/database/stored-doc.ts'
import type { Schedule } from './plan-slots.ts'

export const findSchedule = query('find-schedule', (k, p: { checkId: string }) =>
  k.selectFrom('schedules').selectAll().where('check_id', '=', p.checkId),
)

export const locationsOfSchedules = query(
  'locations-of-schedules',
  (k, p: { ids: readonly string[] }, engine) =>
    k
      .selectFrom('schedules')
      .select(['check_id', 'locations'])
      .where('check_id', 'in', engine.textList(p.ids)),
)

type ScheduleRow = {
  checkId: string
  accountId: string
  checkType: string
  queue: string
  runtimeId: string | null
  periodMs: number
  phaseMs: number
  nextAt: number
  turn: number
  parallel: boolean
  locations: string
  fence: number
}

export const upsertSchedule = query('upsert-schedule', (k, p: ScheduleRow) => {
  const changing = {
    check_type: p.checkType,
    queue: p.queue,
    runtime_id: p.runtimeId,
    period_ms: p.periodMs,
    phase_ms: p.phaseMs,
    next_at: p.nextAt,
    turn: p.turn,
    parallel: p.parallel,
    locations: p.locations,
    from_at: p.nextAt,
    fence: p.fence,
  }
  return k
    .insertInto('schedules')
    .values({ check_id: p.checkId, account_id: p.accountId, ...changing })
    .onConflict((conflict) => conflict.column('check_id').doUpdateSet(changing))
})

export const deleteSchedule = query('delete-schedule', (k, p: { checkId: string }) =>
  k.deleteFrom('schedules').where('check_id', '=', p.checkId),
)

const scheduleLocationRows = rowStatement({
  name: 'insert-schedule-location',
  table: 'schedule_locations',
  valuesOf: (p: { checkId: string; locationId: string }) => ({
    location_id: p.locationId,
    check_id: p.checkId,
  }),
})

const deleteScheduleLocations = query('delete-schedule-locations', (k, p: { checkId: string }) =>
  k.deleteFrom('schedule_locations').where('check_id', '=', p.checkId),
)

/** By which it is found where a check runs; none: it is not scheduled. */
export const writeScheduleLocations = async (
  trx: Db,
  checkId: string,
  locations: readonly { id: string }[],
): Promise<void> => {
  await trx.run(deleteScheduleLocations, { checkId })
  const ids = [...new Set(locations.map(({ id }) => id))].sort()
  await runForRows(
    trx,
    scheduleLocationRows,
    ids.map((locationId) => ({ checkId, locationId })),
  )
}

type DueSchedules = { horizon: number; afterAt: number; afterId: string; limit: number }

/** In the order of their next slots, after one of them. */
export const dueSchedules = query('due-schedules', (k, p: DueSchedules) =>
  k
    .selectFrom('schedules')
    .selectAll()
    .where('next_at', '<=', p.horizon)
    .where((of) => of(of.refTuple('next_at', 'check_id'), '>', of.tuple(p.afterAt, p.afterId)))
    .orderBy('next_at')
    .orderBy('check_id')
    .limit(p.limit),
)

/** Which of these nobody else is changing: planning waits for no other control plane, least of all for one that froze. */
export const holdSchedules = query('hold-schedules', (k, p: { ids: readonly string[] }, engine) => {
  const free = k.selectFrom('schedules').select('check_id').where('check_id', 'in', engine.textList(p.ids))
  return freeRows(engine, free)
})

type ScheduleMove = { check_id: string; was: number; next_at: number; turn: number }

/** Whoever changes the one row of a schedule owns the slots between the old and the new `next_at`. */
export const advanceSchedules = query(
  'advance-schedules',
  (k, p: { moves: readonly ScheduleMove[] }, engine) =>
    k
      .updateTable('schedules')
      .from(
        engine
          .rowList(p.moves, { check_id: text, was: integer, next_at: integer, turn: integer })
          .$castTo<ScheduleMove>()
          .as('r'),
      )
      .set((at) => ({ next_at: at.ref('r.next_at'), turn: at.ref('r.turn') }))
      .whereRef('schedules.check_id', '=', 'r.check_id')
      .whereRef('schedules.next_at', '=', 'r.was')
      .returning('schedules.check_id'),
)

/** The schedule's jobs that are not due yet: they are planned anew from the check as it is now. */
export const revokeFutureJobs = query('revoke-future-jobs', (k, p: { checkId: string; now: number }) =>
  k
    .deleteFrom('jobs')
    .where('check_id', '=', p.checkId)
    .where('session_id', '=', '')
    .where('due_at', '>', p.now),
)

export const revokeJobs = query('revoke-jobs', (k, p: { checkId: string }) =>
  k.deleteFrom('jobs').where('check_id', '=', p.checkId).where('session_id', '=', ''),
)

/** Where a check runs, in turn or at once: `schedules.locations` and `check_sessions.locations`. */
export const runLocations = storedList({
  name: 'locations of runs',
  items: Type.Object({ id: Type.String(), name: Type.String() }, { additionalProperties: false }),
})

/** A row as planning takes it. */
export const scheduleOf = (schedule: {
  period_ms: number
  phase_ms: number
  next_at: number
  turn: number
  parallel: boolean
  locations: string
}): Schedule => ({
  periodMs: schedule.period_ms,
  phaseMs: schedule.phase_ms,
  nextAt: schedule.next_at,
  turn: schedule.turn,
  parallel: schedule.parallel,
  locations: runLocations.read(schedule.locations),
})
