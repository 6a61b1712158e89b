/** The figures of a check's page, through the API's analytics. What takes a walk through 90 days is kept for some minutes. */

import { boundedCache } from '../../../protocol/bounded-memo.ts'
import type { CheckType } from '../../../protocol/check-type.ts'
import { seriesRoutes } from '../../insight/analytics/routes.ts'
import type { AnalyticsSeries } from '../../insight/analytics/schema.ts'
import { checkKinds } from '../../monitoring/definitions/checks/types/index.ts'
import { perApp } from '../../platform/app/per-app.ts'
import { ApiError } from '../../platform/words/errors.ts'
import { callApi } from './internal-client.ts'
import type { Point } from './latency-chart.ts'
import type { RequestContext } from './request-context.ts'

const [hourMs, dayMs] = [3_600_000, 86_400_000]

export const ranges = {
  hours: { word: '3 h', words: '3 hours', ms: 3 * hourMs, bucketMinutes: 3 },
  day: { word: '24 h', words: '24 hours', ms: dayMs, bucketMinutes: 30 },
  week: { word: '7 d', words: '7 days', ms: 7 * dayMs, bucketMinutes: 180 },
  month: { word: '30 d', words: '30 days', ms: 30 * dayMs, bucketMinutes: 720 },
  quarter: { word: '90 d', words: '90 days', ms: 90 * dayMs, bucketMinutes: 1440 },
} as const
export type Range = keyof typeof ranges

type Series = AnalyticsSeries['series']
type CheckRef = { id: string; type: CheckType }

export type OfLocation = {
  location: string
  p50: number | null
  p95: number | null
  availability: number | null
}

type Question = CheckRef & { from: number; more: Record<string, string | number | readonly string[]> }

/** Null: the type has no such figures, or the time has more results than may be read at once. */
const ask = async (context: RequestContext, { id, type, from, more }: Question): Promise<Series | null> => {
  const route = seriesRoutes.get(checkKinds[type].analytics?.path ?? '')
  if (route === undefined) return null
  try {
    const query = {
      from: new Date(from).toISOString(),
      to: new Date(context.now).toISOString(),
      limit: 100,
      ...more,
    }
    return (await callApi(context, route, { params: { id }, query })).body.series
  } catch (error) {
    if (error instanceof ApiError && (error.status === 400 || error.status === 404)) return null
    throw error
  }
}

const number = (value: unknown): number | null => (typeof value === 'number' ? value : null)

const perRun = ['availability', 'runs', 'responseTime_p50', 'responseTime_p95', 'responseTime_p99']

/** Whole stretches: what hours and days were counted for is read from their counts, whatever the number of runs. */
const beginOf = (now: number, ms: number, minutes: number): number =>
  Math.ceil((now - ms) / (minutes * 60_000)) * minutes * 60_000

/** More runs are too many to be read one by one, and hours are counted. */
const manyRuns = 1500

const isBusy = (days: readonly Day[]): boolean => days.slice(-2).some(({ runs }) => runs > manyRuns)

/** The page is fetched anew with each result, and of a thousand runs another one moves no figure. */
const keptMs = 60_000
const maxKept = 2000
const keptOf = perApp(() => boundedCache<string, { at: number; figures: Figures }>(maxKept))

type Figures = { latest: LatestDay; points: Point[]; locations: OfLocation[] }
type Asked = { range: Range; days: readonly Day[]; hasLocations: boolean }

/** Of a check with very many runs up to a minute old: each of them reads the runs of the hour that is not counted yet. */
export const readFigures = async (
  context: RequestContext,
  check: CheckRef,
  { range, days, hasLocations }: Asked,
): Promise<Figures> => {
  const key = `${check.id} ${range} ${hasLocations}`
  const kept = isBusy(days) ? keptOf(context.app).get(key) : undefined
  if (kept !== undefined && kept.at <= context.now && context.now - kept.at < keptMs) return kept.figures
  const figures = {
    latest: await readLatestDay(context, check),
    points: await readPoints(context, check, { range, days }),
    // One place has the figures of the whole.
    locations: hasLocations ? await readLocations(context, check, range) : [],
  }
  keptOf(context.app).delete(key)
  if (isBusy(days)) keptOf(context.app).set(key, { at: context.now, figures })
  return figures
}

/** What the chart draws: a point for each stretch of the range. */
const readPoints = async (
  context: RequestContext,
  check: CheckRef,
  { range, days }: { range: Range; days: readonly Day[] },
): Promise<Point[]> => {
  const { ms, bucketMinutes } = ranges[range]
  const minutes = range === 'day' && isBusy(days) ? 60 : bucketMinutes
  const more = { metrics: perRun, aggregationInterval: minutes }
  const from = beginOf(context.now, ms, minutes)
  const series = await ask(context, { ...check, from, more })
  return (series?.[0]?.data ?? []).map((row) => ({
    at: Date.parse(String(row['timestamp'])),
    p50: number(row['responseTime_p50']),
    p95: number(row['responseTime_p95']),
    p99: number(row['responseTime_p99']),
    availability: number(row['availability']),
    runs: number(row['runs']) ?? 0,
  }))
}

const readLocations = async (
  context: RequestContext,
  check: CheckRef,
  range: Range,
): Promise<OfLocation[]> => {
  const metrics = ['availability', 'responseTime_p50', 'responseTime_p95']
  const more = { metrics, groupBy: 'runLocation' }
  const from = beginOf(context.now, ranges[range].ms, 60)
  const series = await ask(context, { ...check, from, more })
  return (series ?? []).flatMap(({ runLocation, data: [row] }) =>
    row === undefined
      ? []
      : [
          {
            location: runLocation ?? '',
            p50: number(row['responseTime_p50']),
            p95: number(row['responseTime_p95']),
            availability: number(row['availability']),
          },
        ],
  )
}

type LatestDay = { availability: number | null; mean: number | null; p95: number | null }

const readLatestDay = async (context: RequestContext, check: CheckRef): Promise<LatestDay> => {
  const metrics = ['availability', 'responseTime_avg', 'responseTime_p95']
  const from = beginOf(context.now, dayMs, 60)
  const series = await ask(context, { ...check, from, more: { metrics } })
  const row = series?.[0]?.data[0]
  return {
    availability: number(row?.['availability']),
    mean: number(row?.['responseTime_avg']),
    p95: number(row?.['responseTime_p95']),
  }
}

export type Day = { at: number; availability: number | null; runs: number }

const shownDays = 90
const cachedMs = 5 * 60_000
const maxCached = 2000

type Cached = { at: number; days: Day[] }
const cacheOf = perApp(() => boundedCache<string, Cached>(maxCached))

/** A day each, the oldest first; of accounts that own the check, which the caller has seen to. */
export const readDays = async (context: RequestContext, { id, type }: CheckRef): Promise<Day[]> => {
  const known = cacheOf(context.app).get(id)
  if (known !== undefined && context.now - known.at < cachedMs && known.at <= context.now) return known.days
  const today = Math.floor(context.now / dayMs) * dayMs
  const from = today - (shownDays - 1) * dayMs
  const more = { metrics: ['availability', 'runs'], aggregationInterval: 1440 }
  const series = await ask(context, { id, type, from, more })
  const byDay = new Map(
    (series?.[0]?.data ?? []).map((row) => [
      Math.floor(Date.parse(String(row['timestamp'])) / dayMs) * dayMs,
      { availability: number(row['availability']), runs: number(row['runs']) ?? 0 },
    ]),
  )
  const days = Array.from({ length: shownDays }, (_, position) => {
    const at = from + position * dayMs
    return { at, ...(byDay.get(at) ?? { availability: null, runs: 0 }) }
  })
  cacheOf(context.app).delete(id)
  // Of a check that began today each run counts, and the walk is short.
  const isYoung = series !== null && days.filter(({ availability }) => availability !== null).length <= 1
  if (!isYoung) cacheOf(context.app).set(id, { at: context.now, days })
  return days
}

/** Percent of the runs of the latest days that passed; null: there were none. */
export const uptimeOf = (days: readonly Day[], count: number): number | null => {
  const latest = days.slice(-count)
  const runs = latest.reduce((sum, day) => sum + day.runs, 0)
  if (runs === 0) return null
  return latest.reduce((sum, day) => sum + day.runs * (day.availability ?? 0), 0) / runs
}
