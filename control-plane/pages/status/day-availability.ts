/**
 * How many runs of checks there were on each day in UTC, and how many failed. Days that are over do not change: they are kept, and those
 * that are not known yet are counted a few at a time, the latest first, so that no page waits for ninety days of results.
 */
import { boundedCache } from '../../../protocol/bounded-memo.ts'
import type { App } from '../../platform/app.ts'
import { perApp } from '../../platform/per-app.ts'
import { type DayRuns, dayMs, dayOf } from './days.ts'
import { runsOfSpan } from './queries.ts'

/** Some ten megabytes at most. */
const mostKept = 100_000
/** Of one check on one day: every ten seconds from three locations. */
const mostRuns = 25_000
const countedAtOnce = 60
/** Today grows; a minute late is early enough. */
const keptMs = 60_000
/** Results of a day may come in this long after it. */
const settledAfterMs = 3_600_000

type Kept = DayRuns & { until: number }
const keptDays = perApp(() => boundedCache<string, Kept>(mostKept))

export type DailyRuns = {
  /** By check, and then by the start of the day. */
  byCheck: ReadonlyMap<string, ReadonlyMap<number, DayRuns>>
  /** False while there are days still to be counted. */
  isComplete: boolean
}

export const dayAvailability = async (
  app: App,
  checkIds: readonly string[],
  { from, to }: { from: number; to: number },
): Promise<DailyRuns> => {
  const byCheck = new Map(checkIds.map((id): [string, Map<number, DayRuns>] => [id, new Map()]))
  const now = app.clock.now()
  let left = countedAtOnce + checkIds.length
  let isComplete = true
  for (let day = dayOf(to - 1); day >= from; day -= dayMs)
    for (const checkId of checkIds) {
      const known = keptDays(app).get(`${checkId} ${day}`)
      const isFresh = known !== undefined && known.until > now
      if (!isFresh) left -= 1
      if (!isFresh && left < 0) isComplete = false
      const runs = isFresh || left < 0 ? known : await count(app, { checkId, day, now })
      if (runs !== undefined) byCheck.get(checkId)?.set(day, runs)
    }
  return { byCheck, isComplete }
}

type CheckDay = { checkId: string; day: number; now: number }

const count = async (app: App, { checkId, day, now }: CheckDay): Promise<DayRuns> => {
  const span = { checkId, from: day, to: day + dayMs, limit: mostRuns }
  const { runs = 0, failed = 0 } = (await app.db.get(runsOfSpan, span)) ?? {}
  const isOver = now >= day + dayMs + settledAfterMs
  const until = isOver ? Number.POSITIVE_INFINITY : now + keptMs
  keptDays(app).set(`${checkId} ${day}`, { runs, failed, until })
  return { runs, failed }
}
