/** The figures of a check's page, by the API's analytics. What takes a walk through 90 days is kept for some minutes. */

import { boundedCache } from '../../../protocol/bounded-memo.ts'
import type { CheckType } from '../../../protocol/check-type.ts'
import { type Asked, answerAll } from '../../insight/analytics/answer.ts'
import { kinds } from '../../insight/analytics/kinds.ts'
import type { AnalyticsSeries } from '../../insight/analytics/schema.ts'
import type { GroupBy } from '../../monitoring/definitions/checks/types/analytics.ts'
import { checkKinds } from '../../monitoring/definitions/checks/types/index.ts'
import { perApp } from '../../platform/app/per-app.ts'
import { ApiError } from '../../platform/words/errors.ts'
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

type Question = Pick<Asked, 'metricNames'> & { from: number; minutes?: number; groupBy?: GroupBy }

/** Several at once, for what they need of the runs is read once. Null: the type has no such figures, or there are more results than may be read at once. */
const ask = async (
  { app, principal: { accountId }, input: { signal }, now }: RequestContext,
  { id, type }: CheckRef,
  questions: readonly Question[],
): Promise<Series[] | null> => {
  const kind = kinds.find(({ path }) => path === checkKinds[type].analytics?.path)
  if (kind === undefined) return null
  const { checkTypes, numbers, groupings } = kind
  const subject = { asker: { accountId, signal }, checkId: id, checkTypes, numbers, status: null }
  try {
    const answers = await answerAll(
      app,
      subject,
      questions.map(({ metricNames, from, minutes, groupBy }) => ({
        window: { from, to: now },
        intervalMs: minutes === undefined ? null : minutes * 60_000,
        metricNames,
        grouping: groupings.find(({ by }) => by === groupBy) ?? null,
        ...{ limit: mostRows, page: 1 },
      })),
    )
    return answers.map(({ series }) => series)
  } catch (error) {
    if (error instanceof ApiError && (error.status === 400 || error.status === 404)) return null
    throw error
  }
}

const mostRows = 100

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
type Shown = { range: Range; days: readonly Day[]; hasLocations: boolean }

/** Of a check with very many runs up to a minute old: each of them reads the runs of the hour that is not counted yet. */
export const readFigures = async (
  context: RequestContext,
  check: CheckRef,
  { range, days, hasLocations }: Shown,
): Promise<Figures> => {
  const key = `${check.id} ${range} ${hasLocations}`
  const kept = isBusy(days) ? keptOf(context.app).get(key) : undefined
  if (kept !== undefined && kept.at <= context.now && context.now - kept.at < keptMs) return kept.figures
  const { ms } = ranges[range]
  const minutes = minutesOf(range, days)
  const [latest, points, locations] =
    (await ask(context, check, [
      {
        metricNames: ['availability', 'responseTime_avg', 'responseTime_p95'],
        from: beginOf(context.now, dayMs, 60),
      },
      { metricNames: perRun, from: beginOf(context.now, ms, minutes), minutes },
      // One place has the figures of the whole.
      ...(hasLocations
        ? [
            {
              metricNames: ['availability', 'responseTime_p50', 'responseTime_p95'],
              from: beginOf(context.now, ms, 60),
              groupBy: 'runLocation' as const,
            },
          ]
        : []),
    ])) ?? []
  const figures = {
    latest: latestIn(latest),
    points: pointsIn(points),
    locations: locationsIn(locations),
  }
  keptOf(context.app).delete(key)
  if (isBusy(days)) keptOf(context.app).set(key, { at: context.now, figures })
  return figures
}

/** Of a stretch of the chart. */
const minutesOf = (range: Range, days: readonly Day[]): number =>
  range === 'day' && isBusy(days) ? 60 : ranges[range].bucketMinutes

/** What the chart draws: a point for each stretch of the range. */
const pointsIn = (series: Series | undefined): Point[] =>
  (series?.[0]?.data ?? []).map((row) => ({
    at: Date.parse(String(row['timestamp'])),
    p50: number(row['responseTime_p50']),
    p95: number(row['responseTime_p95']),
    p99: number(row['responseTime_p99']),
    availability: number(row['availability']),
    runs: number(row['runs']) ?? 0,
  }))

const locationsIn = (series: Series | undefined): OfLocation[] =>
  (series ?? []).flatMap(({ runLocation, data: [row] }) =>
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

type LatestDay = { availability: number | null; mean: number | null; p95: number | null }

const latestIn = (series: Series | undefined): LatestDay => {
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
  const metricNames = ['availability', 'runs']
  const asked = await ask(context, { id, type }, [{ metricNames, from, minutes: 1440 }])
  const byDay = new Map(
    (asked?.[0]?.[0]?.data ?? []).map((row) => [
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
  const isYoung = asked !== null && days.filter(({ availability }) => availability !== null).length <= 1
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
