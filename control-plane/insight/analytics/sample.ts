/** One FINAL result, as analytics see it. */
import { type CheckType, protocolOf } from '../../../protocol/check-type.ts'
import type { Metric } from '../../../protocol/checks/metric.ts'
import type { Grouping } from '../../monitoring/checks/types/analytics.ts'

export type Sample = {
  startedAt: number
  location: string
  passed: boolean
  responseTime: number
  retries: number
  /** Those parts of its document that were read, by their dotted paths; null where there is nothing. */
  parts: Readonly<Record<string, unknown>>
}

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
export const pagesIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

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
