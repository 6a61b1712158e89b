/** The history of every private location's queue: a sample a minute, kept for fifteen days. */
import type { App } from '../../platform/app/app.ts'
import { whyUnable } from './agents/why-unable.ts'
import { deleteOldSamples, insertSample, lateJobKinds, lateMs, measureQueues } from './sample-queries.ts'

const minuteMs = 60_000
export const historyMs = 15 * 24 * 60 * minuteMs
const deletedAtOnce = 1000

/** Samples lie on full minutes, so that several control planes write each of them once. */
export const sampleLocationsTick = async (app: App): Promise<void> => {
  const now = app.clock.now()
  const at = now - (now % minuteMs)
  const queues = await app.db.all(measureQueues, { now, lateBefore: now - lateMs })
  const short = new Set<string>()
  for (const { location_id: location, late_jobs } of queues)
    if (late_jobs > 0 && (await waitsForRoom(app, location, now))) short.add(location)
  await app.db.transaction(async (trx) => {
    for (const { location_id, queue_size, oldest_due_at, late_jobs } of queues)
      await trx.run(insertSample, {
        locationId: location_id,
        at,
        queueSize: queue_size,
        oldestAgeMs: oldest_due_at === null ? null : now - oldest_due_at,
        lateJobs: short.has(location_id) ? late_jobs : 0,
      })
  })
  await forget(app, at - historyMs)
}

/** Whether something waits that an agent there could run, if it were free. */
const waitsForRoom = async ({ db }: App, location: string, now: number): Promise<boolean> => {
  for (const kind of await db.all(lateJobKinds, { locationId: location, now })) {
    const { check_type: checkType, runtime_id: runtimeId, run_location: locationName } = kind
    const needed = { location, locationName, checkType, typeName: checkType, runtimeId }
    if ((await whyUnable(db, needed, now)) === null) return true
  }
  return false
}

const forget = async (app: App, before: number): Promise<void> => {
  for (;;) {
    const deleted = await app.db.transaction((trx) =>
      trx.run(deleteOldSamples, { before, limit: deletedAtOnce }),
    )
    if (deleted < deletedAtOnce) return
  }
}
