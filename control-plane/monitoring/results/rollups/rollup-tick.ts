/**
 * Rollups: counts and sketches of a check's results by quarter of an hour, hour and day, which answer what would have to read very many of them.
 * This is the loop that keeps them: it closes hours that are over (late-results.ts), counts each once (count-hour.ts), sums
 * days (count-day.ts), adds what came in late (count-late.ts) and thins what has aged (thin-day.ts).
 *
 * Invariant: a judged FINAL result is in its hour, or its hour is not counted yet, or it is noted as late. Counting
 * begins with the hour of the oldest result; what is not counted is answered from raw results.
 */

import type { App } from '../../../platform/app/app.ts'
import { counter, gauge, type HasMetrics } from '../../../platform/app/metrics.ts'
import { createScheduler } from '../../../platform/long-reads/scheduler.ts'
import { oldestRawResults } from '../raw-results.ts'
import { countDay } from './count-day.ts'
import { countHour } from './count-hour.ts'
import { countLate } from './count-late.ts'
import { closeHours } from './late-results.ts'
import { beginProgress, findProgress, noProgress, type Progress } from './queries.ts'
import { dayMs, dayOf, hourOf } from './spans.ts'
import { type BackgroundSource, backgroundSource, takeStep } from './step.ts'
import { isDayToThin, thinDay } from './thin-day.ts'

export const rollupMetrics = {
  applied: counter({
    name: 'watchpost_rollups_applied_total',
    help: 'Hours of checks with results that were counted into rollups, an hour of each check being one',
  }),
  recounted: counter({
    name: 'watchpost_rollups_recounted_total',
    help: 'Hours of checks that were counted again, because results came in after their hour was counted',
  }),
  lag: gauge({
    name: 'watchpost_rollups_lag_seconds',
    help: 'Time since the end of what is counted into rollups: up to an hour and five minutes where nothing waits',
  }),
}

export const rollupTick = async (app: App & HasMetrics, signal: AbortSignal): Promise<void> => {
  const source = backgroundSource(app, signal)
  const closedUntil = await closeHours(app.db, app.clock.now())
  const scheduler = createScheduler()
  let goesOn = true
  while (goesOn && !signal.aborted) {
    goesOn = await oneRound(app, source, closedUntil)
    // A round that found next to nothing takes no rest, and the event loop has its turn all the same.
    await scheduler.next('')
    const { hours_until } = await progressOf(app)
    // The next hour counts as late from the moment that it could be closed.
    if (hours_until > 0) rollupMetrics.lag(app).set(Math.max(0, app.clock.now() - hours_until) / 1000)
  }
}

/** A step of each kind that has something to do. */
const oneRound = async (
  app: App & HasMetrics,
  source: BackgroundSource,
  closedUntil: number,
): Promise<boolean> => {
  const begun = await progressOf(app)
  if (begun.hours_until === 0) {
    await begin(app, source, closedUntil)
    return true
  }
  const again = await countLate(app, source, begun)
  rollupMetrics.recounted(app).inc(again ?? 0)
  let worked = again !== 0
  const behindDays = await progressOf(app)
  if (behindDays.days_until + dayMs <= behindDays.hours_until) {
    await countDay(app, source, behindDays)
    worked = true
  }
  const behindHours = await progressOf(app)
  if (behindHours.hours_until < closedUntil) {
    rollupMetrics.applied(app).inc((await countHour(app, source, behindHours)) ?? 0)
    worked = true
  }
  const aged = await progressOf(app)
  if (isDayToThin(aged)) {
    await thinDay(app, source, aged)
    worked = true
  }
  return worked
}

const progressOf = async ({ db }: App): Promise<Progress> => {
  const progress = await db.get(findProgress, {})
  if (progress !== undefined) return progress
  await db.run(beginProgress, {})
  return noProgress
}

/** Each is asked for by itself. */
const checksAtOnce = 50

/** Counting begins with the hour of the oldest result. */
const begin = async (app: App, source: BackgroundSource, closedUntil: number): Promise<void> => {
  const progress = await progressOf(app)
  let oldestAt = closedUntil
  let after: string | null = ''
  while (after !== null) {
    const behind: string = after
    const checks = await source.reading.piece(() =>
      oldestRawResults(app.db, { after: behind, limit: checksAtOnce }),
    )
    for (const { oldest_at } of checks) oldestAt = Math.min(oldestAt, oldest_at ?? oldestAt)
    after = checks.length < checksAtOnce ? null : (checks.at(-1)?.id ?? null)
  }
  const to = { hours_until: hourOf(oldestAt), days_until: dayOf(oldestAt), thinned_until: dayOf(oldestAt) }
  await takeStep(app, { from: progress, to, signal: source.signal }, async () => {})
}
