/**
 * How many runs of checks there were on each day in UTC, and how many failed. Days that rollups have counted are read from them, the others
 * from results: a few at a time, the latest first, so that no page waits for many of them. What was read is kept for a while.
 */
import { boundedCache } from '../../../protocol/bounded-memo.ts'
import { eachCell } from '../../monitoring/rollups/cells.ts'
import { retriesSeries } from '../../monitoring/rollups/measures.ts'
import { findCheckNumber, rollupsOfSeries } from '../../monitoring/rollups/queries.ts'
import { countedUntil } from '../../monitoring/rollups/read-rollups.ts'
import { newSketch } from '../../monitoring/rollups/sketch.ts'
import { addSketchBytes } from '../../monitoring/rollups/sketch-bytes.ts'
import { daily, dayMs, dayOf } from '../../monitoring/rollups/spans.ts'
import type { App } from '../../platform/app.ts'
import { perApp } from '../../platform/per-app.ts'
import type { DayRuns } from './days.ts'
import { runsOfSpan } from './queries.ts'

/** Some ten megabytes at most. */
const mostKept = 100_000
/** Of one check on one day: every ten seconds from three locations. */
const mostRuns = 25_000
/** Days that are counted from results for one page at once, beside today's. */
const countedAtOnce = 60
/** Today grows; a minute late is early enough. Of days past, results may come in late. */
const keptMs = { today: 60_000, past: 3_600_000 }

type Kept = DayRuns & { until: number }
const keptDays = perApp(() => boundedCache<string, Kept>(mostKept))

export type DailyRuns = {
  /** By check, and then by the start of the day. */
  byCheck: ReadonlyMap<string, ReadonlyMap<number, DayRuns>>
  /** False while there are days still to be counted. */
  isComplete: boolean
}

type Days = { from: number; to: number }

export const dayAvailability = async (
  app: App,
  checkIds: readonly string[],
  { from, to }: Days,
): Promise<DailyRuns> => {
  if (checkIds.length === 0) return { byCheck: new Map(), isComplete: true }
  const { days_until: counted } = await countedUntil({ db: app.db })
  for (const checkId of checkIds) await readCountedDays(app, checkId, { from, to: Math.min(to, counted) })
  const byCheck = new Map(checkIds.map((id): [string, Map<number, DayRuns>] => [id, new Map()]))
  let left = countedAtOnce + checkIds.length
  let isComplete = true
  for (let day = dayOf(to - 1); day >= from; day -= dayMs)
    for (const checkId of checkIds) {
      const known = keptOf(app, checkId, day)
      if (known === null) left -= 1
      if (known === null && left < 0) isComplete = false
      const runs = known ?? (left < 0 ? null : await countResults(app, checkId, day))
      if (runs !== null) byCheck.get(checkId)?.set(day, runs)
    }
  return { byCheck, isComplete }
}

const keptOf = (app: App, checkId: string, day: number): Kept | null => {
  const known = keptDays(app).get(`${checkId} ${day}`)
  return known !== undefined && known.until > app.clock.now() ? known : null
}

const keep = (app: App, checkId: string, { day, ...runs }: DayRuns & { day: number }): void => {
  const now = app.clock.now()
  const until = now + (day === dayOf(now) ? keptMs.today : keptMs.past)
  keptDays(app).set(`${checkId} ${day}`, { ...runs, until })
}

/** All of them at once: a row a day. */
const readCountedDays = async (app: App, checkId: string, { from, to }: Days): Promise<void> => {
  if (from >= to || keptOf(app, checkId, from) !== null) return
  const days = new Map<number, DayRuns>()
  for (let day = from; day < to; day += dayMs) days.set(day, { runs: 0, failed: 0 })
  const known = await app.db.get(findCheckNumber, { checkId })
  const span = { hours: daily, series: retriesSeries, from, to, limit: days.size }
  const rows = known === undefined ? [] : await app.db.all(rollupsOfSeries, { number: known.number, ...span })
  for (const { start_at, cells } of rows) days.set(start_at, runsIn(cells))
  for (const [day, runs] of days) keep(app, checkId, { day, ...runs })
}

const runsIn = (cells: Buffer): DayRuns => {
  const [passed, failed] = [newSketch(), newSketch()]
  eachCell(cells, (cell, reader) => addSketchBytes(cell.passed ? passed : failed, reader))
  return { runs: passed.n + failed.n, failed: failed.n }
}

const countResults = async (app: App, checkId: string, day: number): Promise<DayRuns> => {
  const span = { checkId, from: day, to: day + dayMs, limit: mostRuns }
  const { runs = 0, failed = 0 } = (await app.db.get(runsOfSpan, span)) ?? {}
  keep(app, checkId, { day, runs, failed })
  return { runs, failed }
}
