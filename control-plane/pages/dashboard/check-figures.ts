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

export const ranges = {
  day: { word: '24 hours', ms: 86_400_000, bucketMinutes: 30 },
  week: { word: '7 days', ms: 7 * 86_400_000, bucketMinutes: 180 },
  month: { word: '30 days', ms: 30 * 86_400_000, bucketMinutes: 720 },
} as const
export type Range = keyof typeof ranges

type Series = AnalyticsSeries['series']

export type Figures = {
  points: Point[]
  locations: Array<{ location: string; p50: number | null; p95: number | null; availability: number | null }>
}

const names = ['availability', 'responseTime_p50', 'responseTime_p95', 'responseTime_p99']

type Question = {
  id: string
  type: CheckType
  from: number
  more: Record<string, string | number | readonly string[]>
}

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

export const readFigures = async (
  context: RequestContext,
  check: { id: string; type: CheckType },
  range: Range,
): Promise<Figures> => {
  const { ms, bucketMinutes } = ranges[range]
  const common = { ...check, from: context.now - ms }
  const over = await ask(context, { ...common, more: { metrics: names, aggregationInterval: bucketMinutes } })
  const byLocation = await ask(context, { ...common, more: { metrics: names, groupBy: 'runLocation' } })
  return {
    points: (over?.[0]?.data ?? []).map((row) => ({
      at: Date.parse(String(row['timestamp'])),
      p50: number(row['responseTime_p50']),
      p95: number(row['responseTime_p95']),
      p99: number(row['responseTime_p99']),
      availability: number(row['availability']),
    })),
    locations: (byLocation ?? []).flatMap(({ runLocation, data: [row] }) =>
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
    ),
  }
}

export type Day = { at: number; availability: number | null }

const dayMs = 86_400_000
const shownDays = 90
const cachedMs = 5 * 60_000
const maxCached = 2000

type Cached = { at: number; days: Day[] }
const cacheOf = perApp(() => boundedCache<string, Cached>(maxCached))

/** A day each, the oldest first; of accounts that own the check, which the caller has seen to. */
export const readDays = async (
  context: RequestContext,
  { id, type }: { id: string; type: CheckType },
): Promise<Day[]> => {
  const known = cacheOf(context.app).get(id)
  if (known !== undefined && context.now - known.at < cachedMs && known.at <= context.now) return known.days
  const today = Math.floor(context.now / dayMs) * dayMs
  const from = today - (shownDays - 1) * dayMs
  const series = await ask(context, {
    id,
    type,
    from,
    more: { metrics: ['availability'], aggregationInterval: 1440 },
  })
  const byDay = new Map(
    (series?.[0]?.data ?? []).map((row) => [
      Math.floor(Date.parse(String(row['timestamp'])) / dayMs) * dayMs,
      number(row['availability']),
    ]),
  )
  const days = Array.from({ length: shownDays }, (_, position) => {
    const at = from + position * dayMs
    return { at, availability: byDay.get(at) ?? null }
  })
  cacheOf(context.app).delete(id)
  // Of a check that began today each run counts, and the walk is short.
  const isYoung = series !== null && days.filter(({ availability }) => availability !== null).length <= 1
  if (!isYoung) cacheOf(context.app).set(id, { at: context.now, days })
  return days
}
