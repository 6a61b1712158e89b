/** Where a result keeps a number, and which group of a divided series it belongs to. */
import { type CheckType, protocolOf } from '../../../../protocol/check-type.ts'
import type { Metric } from '../../../../protocol/checks/metric.ts'
import type { Grouping } from '../../definitions/checks/types/analytics.ts'
import type { RawResult } from '../raw-results.ts'

/** What is read of a FINAL result, or of one page of it. */
export type Sample = Omit<RawResult, 'id'>

/** A number as results of one check type have it. */
export type NumberMetric = Metric & {
  /** The part of a result's document that it is in; null: none. */
  part: string | null
  /** What one run measured; several values where a run has several pages. */
  read(sample: Sample): number[]
}

type Page = { webVitals?: Record<string, { value?: number | null } | null> }

const finite = (value: unknown): number[] =>
  typeof value === 'number' && Number.isFinite(value) ? [value] : []

/** PostgreSQL gives every part as text. */
const number = (value: unknown): number[] => finite(typeof value === 'string' ? Number(value) : value)

/** The pages that a run opened, where they were asked for. */
const pagesIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

export const numberMetric = (type: CheckType, metric: Metric): NumberMetric => {
  const { from } = metric
  if (from === 'responseTime') return { ...metric, part: null, read: ({ responseTime }) => [responseTime] }
  if ('metric' in from)
    return {
      ...metric,
      part: 'metrics',
      read: ({ parts }) => finite((parts['metrics'] as Record<string, unknown> | null)?.[from.metric]),
    }
  const part = inDetail(type, 'detail' in from ? from.detail : 'pages')
  if ('detail' in from) return { ...metric, part, read: ({ parts }) => number(parts[part]) }
  return {
    ...metric,
    part,
    read: ({ parts }) =>
      (pagesIn(parts[part]) as Page[]).flatMap(({ webVitals }) => finite(webVitals?.[from.webVital]?.value)),
  }
}

const inDetail = (type: CheckType, path: string): string => `${protocolOf(type).resultProperty}.${path}`

/** A grouping of results of a type, and the part that says which group one belongs to. */
export type Division = { by: Grouping['by']; part: string | null }

export const divisionOf = (type: CheckType, grouping: Grouping): Division => ({
  by: grouping.by,
  part: 'detail' in grouping ? inDetail(type, grouping.detail) : null,
})

export type Key = string | number | null
type Part = { key: Key; part: Sample }

/** A run belongs to one group, or with `pageIndex` to one per page that it opened. */
export const split = (sample: Sample, division: Division | null): Part[] => {
  if (division === null) return [{ key: null, part: sample }]
  const { by, part } = division
  if (by === 'runLocation' || part === null) return [{ key: sample.location, part: sample }]
  const value = sample.parts[part] ?? null
  if (by === 'statusCode') return [{ key: value === null ? null : String(value), part: sample }]
  return pagesIn(value).map((page, key) => ({
    key,
    part: { ...sample, parts: { ...sample.parts, [part]: [page] } },
  }))
}
