/**
 * How many runs of checks there were on each day in UTC, and how many failed. Days that rollups have counted are read from them, the others
 * from results: a few at a time, the latest first, so that no page waits for many of them. What was read is kept for a while.
 */
import { boundedCache } from '../../../protocol/bounded-memo.ts'
import { eachRawResult } from '../../monitoring/results/raw-results.ts'
import { eachCell } from '../../monitoring/results/rollups/cells.ts'
import { horizonsOf } from '../../monitoring/results/rollups/horizons.ts'
import { retriesSeries } from '../../monitoring/results/rollups/measures.ts'
import { findCheckNumber, rollupsOfSeries } from '../../monitoring/results/rollups/queries.ts'
import { newSketch } from '../../monitoring/results/rollups/sketch.ts'
import { addSketchBytes } from '../../monitoring/results/rollups/sketch-bytes.ts'
import { daily, dayMs, dayOf, hourly } from '../../monitoring/results/rollups/spans.ts'
import type { App } from '../../platform/app/app.ts'
import { perApp } from '../../platform/app/per-app.ts'
import type { LongRead } from '../../platform/long-reads/long-read.ts'
import type { DayRuns } from './days.ts'

/** Some ten megabytes at most. */
const maxCached = 100_000
/** Rows of results that are read at once. */
const pieceSize = 500
/** Days that are counted from results for one page at once, beside today's. */
const countedAtOnce = 60
/** Today grows; a minute late is early enough. Of days past, results may come in late. */
const cachedMs = { today: 60_000, past: 3_600_000 }

type Cached = DayRuns & { until: number }
const cacheOf = perApp(() => boundedCache<string, Cached>(maxCached))

export type DailyRuns = {
  /** By check, and then by the start of the day. */
  byCheck: ReadonlyMap<string, ReadonlyMap<number, DayRuns>>
  /** False while there are days still to be counted. */
  isComplete: boolean
}

type Days = { from: number; to: number }

/** What counts of a check begins with `since`, in the middle of a day. */
type CountedCheck = { id: string; since: number }

export const dayAvailability = async (
  app: App,
  checks: readonly CountedCheck[],
  { from, to }: Days,
): Promise<DailyRuns> => {
  if (checks.length === 0) return { byCheck: new Map(), isComplete: true }
  const { daysUntil: counted } = await horizonsOf(app)
  for (const { id, since } of checks)
    await readCountedDays(app, id, { from: Math.max(from, nextDayOf(since)), to: Math.min(to, counted) })
  const byCheck = new Map(checks.map(({ id }): [string, Map<number, DayRuns>] => [id, new Map()]))
  let left = countedAtOnce + checks.length
  let isComplete = true
  for (let day = dayOf(to - 1); day >= from; day -= dayMs)
    for (const { id, since } of checks) {
      if (day < dayOf(since)) continue
      const start = Math.max(day, since)
      const known = cachedDay(app, id, start)
      if (known === null) left -= 1
      if (known === null && left < 0) isComplete = false
      const runs = known ?? (left < 0 ? null : await countResults(app, id, start))
      if (runs !== null) byCheck.get(id)?.set(day, runs)
    }
  return { byCheck, isComplete }
}

/** The first that is wholly after it. */
const nextDayOf = (at: number): number => (dayOf(at) === at ? at : dayOf(at) + dayMs)

/** `start`: of the day, or where in it the counting begins. */
const cachedDay = (app: App, checkId: string, start: number): Cached | null => {
  const known = cacheOf(app).get(`${checkId} ${start}`)
  return known !== undefined && known.until > app.clock.now() ? known : null
}

const keep = (app: App, checkId: string, { start, ...runs }: DayRuns & { start: number }): void => {
  const now = app.clock.now()
  const until = now + (dayOf(start) === dayOf(now) ? cachedMs.today : cachedMs.past)
  cacheOf(app).set(`${checkId} ${start}`, { ...runs, until })
}

/** All of them at once: a row a day. */
const readCountedDays = async (app: App, checkId: string, { from, to }: Days): Promise<void> => {
  if (from >= to || cachedDay(app, checkId, from) !== null) return
  const days = new Map<number, DayRuns>()
  for (let day = from; day < to; day += dayMs) days.set(day, { runs: 0, failed: 0 })
  const known = await app.db.get(findCheckNumber, { checkId })
  const span = { minutes: daily, series: retriesSeries, from, to, limit: days.size }
  const rows = known === undefined ? [] : await app.db.all(rollupsOfSeries, { number: known.number, ...span })
  for (const { start_at, cells } of rows) days.set(start_at, runsIn(cells))
  for (const [day, runs] of days) keep(app, checkId, { start: day, ...runs })
}

const runsIn = (cells: Buffer): DayRuns => {
  const [passed, failed] = [newSketch(), newSketch()]
  eachCell(cells, (cell, reader) => addSketchBytes(cell.passed ? passed : failed, reader))
  return { runs: passed.n + failed.n, failed: failed.n }
}

/** Hours that are counted, and then results that were judged. */
const countResults = async (app: App, checkId: string, start: number): Promise<DayRuns> => {
  const end = dayOf(start) + dayMs
  const { hoursUntil } = await horizonsOf(app)
  const wholeHours = Math.min(end, Math.ceil(start / hourMs) * hourMs)
  const counted = Math.min(end, Math.max(wholeHours, hoursUntil))
  const sum = await countedHours(app, checkId, { from: wholeHours, to: counted })
  for (const [from, to] of [
    [start, wholeHours],
    [counted, end],
  ] as const) {
    const rest = { checkId, from, to, status: null, parts: [] }
    if (from < to)
      await eachRawResult({ db: app.db, reading: inPieces }, rest, ({ passed }) => {
        sum.runs += 1
        sum.failed += passed ? 0 : 1
      })
  }
  keep(app, checkId, { start, ...sum })
  return sum
}

/** Others have their turn between them. */
const inPieces: LongRead = { piece: (work) => work(pieceSize) }

const hoursOfDay = 24
const hourMs = 3_600_000

const countedHours = async (app: App, checkId: string, { from, to }: Days): Promise<DayRuns> => {
  const known = from < to ? await app.db.get(findCheckNumber, { checkId }) : undefined
  if (known === undefined) return { runs: 0, failed: 0 }
  const span = { minutes: hourly, series: retriesSeries, from, to, limit: hoursOfDay }
  const rows = await app.db.all(rollupsOfSeries, { number: known.number, ...span })
  return rows
    .map(({ cells }) => runsIn(cells))
    .reduce((sum, each) => ({ runs: sum.runs + each.runs, failed: sum.failed + each.failed }), {
      runs: 0,
      failed: 0,
    })
}
