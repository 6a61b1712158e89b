/** The history of every private location's queue: a sample a minute, kept for fifteen days. */
import type { App } from '../../platform/app/app.ts'
import { deleteOldSamples, insertSample, measureQueues } from './sample-queries.ts'

const minuteMs = 60_000
export const historyMs = 15 * 24 * 60 * minuteMs
const deletedAtOnce = 1000

/** Samples lie on full minutes, so that several control planes write each of them once. */
export const sampleLocationsTick = async (app: App): Promise<void> => {
  const now = app.clock.now()
  const at = now - (now % minuteMs)
  const queues = await app.db.all(measureQueues, { now })
  await app.db.transaction(async (trx) => {
    for (const { location_id: locationId, queue_size: queueSize, oldest_due_at: oldestDueAt } of queues) {
      const oldestAgeMs = oldestDueAt === null ? null : now - oldestDueAt
      await trx.run(insertSample, { locationId, at, queueSize, oldestAgeMs })
    }
  })
  await forget(app, at - historyMs)
}

const forget = async (app: App, before: number): Promise<void> => {
  for (;;) {
    const deleted = await app.db.transaction((trx) =>
      trx.run(deleteOldSamples, { before, limit: deletedAtOnce }),
    )
    if (deleted < deletedAtOnce) return
  }
}
