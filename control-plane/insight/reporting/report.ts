/**
 * The report over all checks of an account: how many of their runs passed and how long they took, over a window or per
 * day, week or month of a time zone.
 */

import type { CheckType } from '../../../protocol/check-type.ts'
import { responseTime } from '../../../protocol/checks/metric.ts'
import { checkDoc } from '../../monitoring/checks/check-doc.ts'
import { numberMetric } from '../../monitoring/rollups/number-metric.ts'
import type { App } from '../../platform/app.ts'
import { type Asker, longRead } from '../../platform/long-reads/long-read.ts'
import { toIso } from '../../platform/shapes/instants.ts'
import type { Calendar, CalendarUnit } from '../analytics/calendar.ts'
import { newBudget, type SampleSource } from '../analytics/queries.ts'
import type { Tally } from '../analytics/series.ts'
import { aggregatesOf, newDistribution, rounded } from '../analytics/statistics.ts'
import { tallyBuckets } from '../analytics/tally-buckets.ts'
import type { Window } from '../analytics/window.ts'
import { checksForReport } from './queries.ts'
import type { ReportAggregate, ReportItem } from './schema.ts'

export const maxBuckets = 120

/** Calendar buckets that touch the window; the first and last hold only what lies in it. */
export const calendarBuckets = ({ from, to }: Window, unit: CalendarUnit, calendar: Calendar): Window[] => {
  const buckets: Window[] = []
  let start = calendar.startOf(unit, from)
  while (start < to && buckets.length <= maxBuckets) {
    const end = calendar.move(unit, start, 1)
    buckets.push({ from: Math.max(from, start), to: Math.min(to, end) })
    start = end
  }
  return buckets
}

export type ReportQuestion = {
  asker: Asker
  window: Window
  /** Null: one aggregate for the window. */
  buckets: readonly Window[] | null
  /** Checks with any of these tags; empty: all. */
  tags: readonly string[]
  deactivated: boolean | null
}

export const report = (app: App, question: ReportQuestion): Promise<ReportItem[]> =>
  longRead(app, question.asker, async (reading) => {
    const source = { db: app.db, reading, budget: newBudget() }
    const items: ReportItem[] = []
    for (const check of await app.db.all(checksForReport, { accountId: question.asker.accountId })) {
      const tags = checkDoc.read(check.doc).tags
      const deactivated = !check.activated
      if (question.deactivated !== null && question.deactivated !== deactivated) continue
      if (question.tags.length > 0 && !question.tags.some((tag) => tags.includes(tag))) continue
      items.push({
        name: check.name,
        checkId: check.id,
        checkType: check.type as ReportItem['checkType'],
        deactivated,
        tags,
        ...(await figures(source, question, check)),
      })
    }
    return items
  })

const figures = async (
  source: SampleSource,
  { window, buckets }: ReportQuestion,
  { id, type }: { id: string; type: string },
): Promise<Pick<ReportItem, 'aggregate' | 'aggregates'>> => {
  const checkType = type as CheckType
  const spans = (buckets ?? [window]).map((bucket) => ({ ...bucket, timestamp: bucket.from }))
  const groups = await tallyBuckets(source, {
    checkId: id,
    checkType,
    buckets: spans,
    numbers: [numberMetric(checkType, responseTime)],
    division: null,
    status: null,
    keys: null,
  })
  const tallies = groups.get(null) ?? []
  const results = spans.map(({ from, to }, at) => ({ from, to, ...figuresOf(tallies[at]) }))
  const [only] = results
  if (buckets === null && only) {
    const { from: _from, to: _to, ...figure } = only
    return { aggregate: figure }
  }
  return {
    aggregates: results.map(({ from, to, ...figure }) => ({ from: toIso(from), to: toIso(to), ...figure })),
  }
}

const figuresOf = (tally: Tally | undefined): ReportAggregate => {
  const { runs = 0, passed = 0 } = tally ?? {}
  const aggregateBy = aggregatesOf(tally?.numbers.get(responseTime.name) ?? newDistribution())
  return {
    successRatio: runs === 0 ? null : rounded((100 * passed) / runs),
    avg: aggregateBy('avg'),
    p95: aggregateBy('p95'),
    p99: aggregateBy('p99'),
  }
}
