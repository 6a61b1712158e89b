/**
 * From checks to jobs. Words: a *slot* is a fixed due time (slots.ts); a *run* is one slot of a check in one location; a
 * *job* is a run's attempt that an agent can claim; a *missed run* is a due time that could not be run, with its reason.
 *
 * Invariant: a schedule's `next_at` moves in the transaction that writes the jobs and missed runs of the slots it moves
 * over, by compare-and-set, so that every due time of an active check becomes exactly one of the two per location, with
 * any number of control planes and across a kill at any moment. A job has the id of its slot (protocol/slot-id.ts), and one whose
 * run has a result already, because an agent made it by itself, is not written.
 */

import { type CheckType, queueOf } from '../../../protocol/check-type.ts'
import { slotIdOf } from '../../../protocol/slot-id.ts'
import { pausedAt } from '../../communication/maintenance-windows/active-windows.ts'
import { windowsOfAccount } from '../../communication/maintenance-windows/window-plans.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasMetrics } from '../../platform/app/metrics.ts'
import type { Stamp } from '../../platform/services/clock/stamp.ts'
import type { HasWakeups } from '../../platform/services/clock/wakeups.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { SchedulesTable } from '../../platform/store/database/tables/runs.ts'
import type { AwaitedRun } from './awaited-runs.ts'
import { insertJob, insertJobs } from './job-queries.ts'
import { missOrAwait } from './miss-or-await.ts'
import { scheduleMetrics } from './missed-runs.ts'
import { type JobCheck, newJob, scheduled } from './new-job.ts'
import { passOver } from './pass-over.ts'
import { type HasTags, pausesOfChecks } from './pauses-of-checks.ts'
import { type PlannedJob, planSlots, type RunLocation, type SlotPlan } from './plan-slots.ts'
import {
  advanceSchedules,
  deleteSchedule,
  dueSchedules,
  findSchedule,
  holdSchedules,
  revokeFutureJobs,
  revokeJobs,
  runLocations,
  scheduleOf,
  upsertSchedule,
  writeScheduleLocations,
} from './schedule-queries.ts'
import { slotAfter } from './slots.ts'
import { whyNoControlPlane } from './why-no-control-plane.ts'
import { withoutPauses } from './without-pauses.ts'

/** What the schedule needs to know of a check that was just written. */
export type ScheduledCheck = {
  id: string
  accountId: string
  type: CheckType
  activated: boolean
  periodMs: number
  phaseMs: number
  /** `id`: the code of a public location or a private location's id; `name`: what results show. */
  locations: RunLocation[]
  parallel: boolean
  /** Only for checks that run a script in a runtime. */
  runtimeId: string | null
  /** Its own and its group's, by which maintenance pauses it. */
  tags: readonly string[]
  /** How often it was written before: jobs of a later plan have greater fences than those of an earlier one. */
  writes: number
}

/** Jobs are handed out this long before they are due: agents start on the millisecond and survive a short outage. */
export const lookAheadMs = 10_000

/** A slot this close to a check's first run is left out: it would only overlap with it. */
const quietAfterFirstRunMs = 30_000

/** More than the claims of any job. */
const fencesPerPlan = 1_000_000

/** Whether an agent has ever had it. */
export const wasClaimed = ({ fence }: { fence: number }): boolean => fence % fencesPerPlan > 0

/** Asked of the results; answered in `control-plane/lookups.ts`. */
export type HasStoredResults = {
  lookups: { storedResultIds(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> }
}

type PlanningApp = App & HasMetrics & HasStoredResults & HasTags & HasWakeups

/** Short transactions: what one of them waits for or loses is little. */
const schedulesPerTransaction = 200

/**
 * Brings the schedule in line with a check that was created or changed; belongs in the same transaction. A new or
 * re-activated check runs at once, unless maintenance pauses it: then its first run is its first slot after that. Returns the locations to wake after the commit.
 */
export const syncSchedule = async (
  trx: Db,
  check: ScheduledCheck,
  { now, newId }: Stamp,
): Promise<string[]> => {
  const existing = await trx.get(findSchedule, { checkId: check.id })
  if (existing && existing.next_at <= now) await passOver(trx, existing, { tags: check.tags, now, newId })
  if (!check.activated || check.locations.length === 0) {
    await dropSchedule(trx, check.id)
    return []
  }
  await writeScheduleLocations(trx, check.id, check.locations)
  if (existing) {
    await trx.run(revokeFutureJobs, { checkId: check.id, now })
    await trx.run(upsertSchedule, row(check, slotAfter(check, now), existing.turn))
    return check.locations.map(({ id }) => id)
  }
  const windows = await windowsOfAccount(trx, check.accountId, now)
  if (pausedAt(windows, check.tags, now)) {
    await trx.run(upsertSchedule, row(check, slotAfter(check, now), 0))
    return []
  }
  const firstLocations = check.parallel ? check.locations : check.locations.slice(0, 1)
  const quietMs = Math.min(check.periodMs / 2, quietAfterFirstRunMs)
  const nextAt = slotAfter(check, now + quietMs)
  for (const location of firstLocations) {
    const job = { dueAt: now, expiresAt: nextAt, location }
    // At no slot: nobody else could know of it, and a check that is activated again has another.
    await trx.run(insertJob, newJob(check, job, { ...ofOneId(newId()), now, origin: scheduled }))
  }
  await trx.run(upsertSchedule, row(check, nextAt, 1))
  return firstLocations.map(({ id }) => id)
}

/** Ends a check's schedule and takes back its jobs; reports that still arrive are refused as stale. */
export const dropSchedule = async (trx: Db, checkId: string): Promise<void> => {
  await trx.run(deleteSchedule, { checkId })
  await writeScheduleLocations(trx, checkId, [])
  await trx.run(revokeJobs, { checkId })
}

/**
 * Writes the jobs of every slot that comes within reach, and the missed runs of those that were passed over. A part that
 * fails, because somebody holds what it needs, keeps no other from being planned.
 */
export const scheduleTick = async (app: PlanningApp, signal?: AbortSignal): Promise<void> => {
  const horizon = app.clock.now() + lookAheadMs
  const failures: unknown[] = []
  let after = { afterAt: 0, afterId: '' }
  while (!signal?.aborted) {
    const due = await app.db.all(dueSchedules, { horizon, ...after, limit: schedulesPerTransaction })
    const last = due.at(-1)
    if (last === undefined) break
    try {
      await planSchedules(app, due)
    } catch (error) {
      failures.push(error)
    }
    if (due.length < schedulesPerTransaction) break
    after = { afterAt: last.next_at, afterId: last.check_id }
  }
  if (failures.length > 0) throw failures[0]
}

const planSchedules = async (app: PlanningApp, due: readonly SchedulesTable[]): Promise<void> => {
  const now = app.clock.now()
  const earliest = due.reduce((min, { next_at }) => Math.min(min, next_at), now)
  const pauses = await pausesOfChecks(app, due, { from: earliest, to: now + lookAheadMs + 1 })
  const { wake, missedRuns } = await app.db.transaction(async (trx) => {
    const plans = (await heldOf(trx, due)).map((schedule) => ({
      schedule,
      slots: withoutPauses(
        planSlots(scheduleOf(schedule), now, lookAheadMs),
        pauses.get(schedule.check_id) ?? [],
      ),
    }))
    return writePlans(app, trx, plans, now)
  })
  // Once it is committed: a transaction may run more than once.
  if (missedRuns > 0) scheduleMetrics.missedRuns(app).inc({ reason: down }, missedRuns)
  for (const location of new Set(wake)) app.wakeups.wake(location)
}

/** An engine with a single writer has nobody who could hold some of them. */
const heldOf = async (trx: Db, due: readonly SchedulesTable[]): Promise<readonly SchedulesTable[]> => {
  if (!trx.engine.rowLocks) return due
  const ids = new Set(
    (await trx.all(holdSchedules, { ids: due.map(({ check_id }) => check_id) })).map(
      ({ check_id }) => check_id,
    ),
  )
  return due.filter(({ check_id }) => ids.has(check_id))
}

/** What becomes of the slots of one schedule. */
type SchedulePlan = { schedule: SchedulesTable; slots: SlotPlan }

/** `wake`: the locations that have jobs of it now. */
const writePlans = async (
  app: App & HasStoredResults,
  trx: Db,
  plans: SchedulePlan[],
  now: number,
): Promise<{ wake: string[]; missedRuns: number }> => {
  if (plans.length === 0) return { wake: [], missedRuns: 0 }
  const moves = plans.map(({ schedule: { check_id, next_at: was }, slots: { nextAt, turn } }) => ({
    check_id,
    was,
    next_at: nextAt,
    turn,
  }))
  const moved = new Set((await trx.all(advanceSchedules, { moves })).map(({ check_id }) => check_id))
  const ours = plans.filter(({ schedule }) => moved.has(schedule.check_id))
  const stamp = { now, newId: app.newId }
  const planned = ours.flatMap(({ schedule, slots }) =>
    slots.jobs.map((job) => jobOfSlot(schedule, job, now)),
  )
  // What is not due yet nobody has run.
  const run = await app.lookups.storedResultIds(
    trx,
    planned.filter(({ dueAt }) => dueAt <= now).map(({ id }) => id),
  )
  const jobs = planned.filter(({ id }) => !run.has(id))
  await insertJobs(trx, jobs)
  const missed = ours.flatMap((one) => missedOf(app, one, stamp))
  return {
    wake: jobs.map(({ location }) => location),
    missedRuns: await missOrAwait(trx, missed),
  }
}

const down = 'CONTROL_PLANE_DOWN'

const checkOf = (schedule: SchedulesTable): JobCheck => ({
  id: schedule.check_id,
  accountId: schedule.account_id,
  type: schedule.check_type as CheckType,
  runtimeId: schedule.runtime_id,
  periodMs: schedule.period_ms,
})

const missedOf = (app: App, { schedule, slots }: SchedulePlan, { now, newId }: Stamp): AwaitedRun[] =>
  slots.missed.map((range) => ({
    ...range,
    id: newId(),
    accountId: schedule.account_id,
    checkId: schedule.check_id,
    reason: down,
    detail: whyNoControlPlane(app, { from: range.firstDueAt, to: range.lastDueAt }),
    now,
  }))

const row = (check: ScheduledCheck, nextAt: number, turn: number) => ({
  checkId: check.id,
  accountId: check.accountId,
  checkType: check.type,
  queue: queueOf(check.type),
  runtimeId: check.runtimeId,
  periodMs: check.periodMs,
  phaseMs: check.phaseMs,
  nextAt,
  turn,
  parallel: check.parallel,
  locations: runLocations.write(check.locations),
  fence: check.writes * fencesPerPlan,
})

/** A run is known by the id of its first attempt: its results need not name both. */
const ofOneId = (id: string) => ({ id, sequenceId: id })

const jobOfSlot = (schedule: SchedulesTable, planned: PlannedJob, now: number) => {
  const { dueAt, location } = planned
  const id = slotIdOf({ checkId: schedule.check_id, location: location.id, dueAt, attempt: 1 })
  const { fence } = schedule
  return newJob(checkOf(schedule), planned, { ...ofOneId(id), now, origin: scheduled, fence })
}
