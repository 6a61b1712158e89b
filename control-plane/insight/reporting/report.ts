/**
 * The report over all checks of an account: how many of their runs passed, how long they took, and how long they failed because of others,
 * over a window or per day, week or month of a time zone.
 */

import { responseTime } from '../../../protocol/checks/metric.ts'
import { checkDoc } from '../../monitoring/definitions/checks/check-doc.ts'
import { type Horizons, whileKnown } from '../../monitoring/results/rollups/horizons.ts'
import type { App } from '../../platform/app/app.ts'
import { type Asker, longRead } from '../../platform/long-reads/long-read.ts'
import type { ListSource } from '../../platform/long-reads/read-slices.ts'
import { toIso } from '../../platform/words/shapes/instants.ts'
import type { Calendar, CalendarUnit } from '../analytics/calendar.ts'
import { newBudget, type SampleSource } from '../analytics/queries.ts'
import type { Tally } from '../analytics/series.ts'
import { knownOf, snapAll } from '../analytics/snap.ts'
import { aggregatesOf, newDistribution, rounded } from '../analytics/statistics.ts'
import { beginChecks, checksAtOnce, tallyChecks } from '../analytics/tally-checks.ts'
import type { Window } from '../analytics/window.ts'
import { dependencyDowntime } from './dependency-downtime.ts'
import { checksForReport } from './queries.ts'
import type { ReportBucket, ReportItem } from './schema.ts'

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

type ReportQuestion = {
  asker: Asker
  now: number
  window: Window
  /** Null: one aggregate for the window. */
  buckets: readonly Window[] | null
  /** Checks with any of these tags; empty: all. */
  tags: readonly string[]
  groupId: number | null
  deactivated: boolean | null
}

export const report = (app: App, question: ReportQuestion): Promise<ReportItem[]> =>
  longRead(app, question.asker, (reading) =>
    whileKnown({ db: app.db }, (horizons) => reportOf(question, { db: app.db, reading }, horizons)),
  )

const reportOf = async (
  question: ReportQuestion,
  list: ListSource,
  horizons: Horizons,
): Promise<ReportItem[]> => {
  const source = { ...list, budget: newBudget() }
  const spans = snapAll(question.buckets ?? [question.window], knownOf(horizons, false))
  const all = await beginChecks(
    source,
    spans.map((span) => ({ ...span, timestamp: span.from })),
    horizons,
  )
  const items: ReportItem[] = []
  let cursor: Cursor | null = { afterAt: -1, afterId: '' }
  while (cursor !== null) {
    const page: ChecksPage = await nextChecks(source, question, { ...cursor, limit: checksAtOnce(all) })
    const checkIds = page.checks.map(({ checkId }) => checkId)
    const tallied = await tallyChecks(all, checkIds, (tallies) => tallies.map(figuresOf))
    const downtime = await dependencyDowntime(list, { checkIds, spans, now: question.now })
    for (const check of page.checks) {
      const [measured, causes] = [tallied.get(check.checkId), downtime.get(check.checkId)]
      const figuresAt = (at: number): FiguresOfSpan => ({
        ...(measured?.[at] ?? figuresOf(undefined)),
        dependencyDowntime: causes?.[at] ?? [],
      })
      items.push({ ...check, ...figuresOfSpans(question, spans, figuresAt) })
    }
    cursor = page.next
  }
  return items
}

type Cursor = { afterAt: number; afterId: string }
type ChecksPage = { checks: ReportedCheck[]; next: Cursor | null }
type ReportedCheck = Omit<ReportItem, 'aggregate' | 'aggregates'>

const nextChecks = (
  { db, reading }: SampleSource,
  { asker: { accountId }, tags: anyOf, groupId, deactivated: wanted }: ReportQuestion,
  page: Cursor & { limit: number },
): Promise<ChecksPage> =>
  reading.piece(async () => {
    const rows = await db.all(checksForReport, { accountId, ...page })
    const last = rows.length < page.limit ? undefined : rows.at(-1)
    const checks = rows.flatMap(({ id, name, type, activated, group_id, doc }): ReportedCheck[] => {
      if (groupId !== null && groupId !== group_id) return []
      const { tags } = checkDoc.read(doc)
      const deactivated = !activated
      if (wanted !== null && wanted !== deactivated) return []
      if (anyOf.length > 0 && !anyOf.some((tag) => tags.includes(tag))) return []
      return [{ name, checkId: id, checkType: type as ReportItem['checkType'], deactivated, tags }]
    })
    return { checks, next: last === undefined ? null : { afterAt: last.created_at, afterId: last.id } }
  })

type FiguresOfSpan = Omit<ReportBucket, 'from' | 'to'>

const figuresOfSpans = (
  { buckets, window }: ReportQuestion,
  spans: readonly Window[],
  figuresAt: (at: number) => FiguresOfSpan,
): Pick<ReportItem, 'aggregate' | 'aggregates'> => {
  const figures = ({ from, to }: Window, at: number): ReportBucket => ({
    from: toIso(from),
    to: toIso(to),
    ...figuresAt(at),
  })
  if (buckets !== null) return { aggregates: spans.map(figures) }
  return { aggregate: figures(spans[0] ?? { from: window.to, to: window.to }, 0) }
}

const figuresOf = (tally: Tally | undefined): Omit<FiguresOfSpan, 'dependencyDowntime'> => {
  const { runs = 0, passed = 0 } = tally ?? {}
  const aggregateBy = aggregatesOf(tally?.numbers.get(responseTime.name) ?? newDistribution())
  return {
    successRatio: runs === 0 ? null : rounded((100 * passed) / runs),
    avg: aggregateBy('avg'),
    p95: aggregateBy('p95'),
    p99: aggregateBy('p99'),
  }
}
