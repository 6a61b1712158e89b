/** The figures of a check's page, through the API's analytics. What takes a walk through 90 days is kept for some minutes. */
import { boundedCache } from '../../../protocol/bounded-memo.ts'
import type { CheckType } from '../../../protocol/check-type.ts'
import { checkKinds } from '../../monitoring/definitions/checks/types/index.ts'
import { perApp } from '../../platform/app/per-app.ts'
import { ApiError } from '../../platform/words/errors.ts'
import type { Point } from './latency-chart.ts'
import type { Visit } from './visit.ts'

export const ranges = {
  day: { word: '24 hours', ms: 86_400_000, bucketMinutes: 30 },
  week: { word: '7 days', ms: 7 * 86_400_000, bucketMinutes: 180 },
  month: { word: '30 days', ms: 30 * 86_400_000, bucketMinutes: 720 },
} as const
export type Range = keyof typeof ranges

type Series = ReadonlyArray<{
  runLocation?: string | null
  data: ReadonlyArray<Record<string, number | string | null>>
}>

export type Figures = {
  points: Point[]
  places: Array<{ location: string; p50: number | null; p95: number | null; availability: number | null }>
}

const names = ['availability', 'responseTime_p50', 'responseTime_p95', 'responseTime_p99']

const operationFor = (type: CheckType): string | null => {
  const path = checkKinds[type].analytics?.path
  return path === undefined ? null : `GET /v1/analytics/${path}/:id`
}

type Question = {
  id: string
  type: CheckType
  from: number
  more: Record<string, string | number | readonly string[]>
}

/** Null: the type has no such figures, or the time has more results than may be read at once. */
const ask = async (visit: Visit, { id, type, from, more }: Question): Promise<Series | null> => {
  const operation = operationFor(type)
  if (operation === null || !visit.door.has(operation)) return null
  try {
    const query = {
      from: new Date(from).toISOString(),
      to: new Date(visit.now).toISOString(),
      limit: 100,
      ...more,
    }
    return (await visit.call(operation, { params: { id }, query })).body.series
  } catch (error) {
    if (error instanceof ApiError && (error.status === 400 || error.status === 404)) return null
    throw error
  }
}

const number = (value: unknown): number | null => (typeof value === 'number' ? value : null)

export const readFigures = async (
  visit: Visit,
  check: { id: string; type: CheckType },
  range: Range,
): Promise<Figures> => {
  const { ms, bucketMinutes } = ranges[range]
  const common = { ...check, from: visit.now - ms }
  const over = await ask(visit, { ...common, more: { metrics: names, aggregationInterval: bucketMinutes } })
  const byPlace = await ask(visit, { ...common, more: { metrics: names, groupBy: 'runLocation' } })
  return {
    points: (over?.[0]?.data ?? []).map((row) => ({
      at: Date.parse(String(row['timestamp'])),
      p50: number(row['responseTime_p50']),
      p95: number(row['responseTime_p95']),
      p99: number(row['responseTime_p99']),
      availability: number(row['availability']),
    })),
    places: (byPlace ?? []).flatMap(({ runLocation, data: [row] }) =>
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
export const shownDays = 90
const keptMs = 5 * 60_000
const maxKept = 2000

type Kept = { at: number; days: Day[] }
const kept = perApp(() => boundedCache<string, Kept>(maxKept))

/** A day each, the oldest first; of accounts that own the check, which the caller has seen to. */
export const readDays = async (
  visit: Visit,
  { id, type }: { id: string; type: CheckType },
): Promise<Day[]> => {
  const known = kept(visit.app).get(id)
  if (known !== undefined && visit.now - known.at < keptMs && known.at <= visit.now) return known.days
  const today = Math.floor(visit.now / dayMs) * dayMs
  const from = today - (shownDays - 1) * dayMs
  const series = await ask(visit, {
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
  kept(visit.app).delete(id)
  // Of a check that began today each run counts, and the walk is short.
  const isYoung = series !== null && days.filter(({ availability }) => availability !== null).length <= 1
  if (!isYoung) kept(visit.app).set(id, { at: visit.now, days })
  return days
}
