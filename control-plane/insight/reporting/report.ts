/**
 * The report over all checks of an account: how many of their runs passed, how long they took, and how long they failed because of others,
 * over a window or per day, week or month of a time zone.
 */

import { responseTime } from '../../../protocol/checks/metric.ts'
import { checkDoc } from '../../monitoring/definitions/checks/check-doc.ts'
import { docsOfChecks } from '../../monitoring/definitions/checks/checks-by-id.ts'
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
import { beginChecks, checksAtOnce, countChecks, tallyChecks } from '../analytics/tally-checks.ts'
import type { Window } from '../analytics/window.ts'
import { dependencyDowntime } from './dependency-downtime.ts'
import { checksForReport, namesForReport } from './queries.ts'
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

export type ReportQuestion = {
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
  const { source, spans, all } = await beginReport(question, list, horizons)
  const items: ReportItem[] = []
  let cursor: Cursor | null = { afterAt: -1, afterId: '' }
  while (cursor !== null) {
    const page: ChecksPage = await nextChecks(source, question, { ...cursor, limit: checksAtOnce(all) })
    items.push(...(await withFigures({ question, source, spans, all }, page.checks)))
    cursor = page.next
  }
  return items
}

/** What is the same for all checks. */
const beginReport = async (
  { buckets, window }: ReportQuestion,
  list: ListSource,
  horizons: Horizons,
): Promise<Begun & { source: SampleSource }> => {
  const source = { ...list, budget: newBudget() }
  const spans = snapAll(buckets ?? [window], knownOf(horizons, false))
  const timed = spans.map((span) => ({ ...span, timestamp: span.from }))
  return { source, spans, all: await beginChecks(source, timed, horizons) }
}

type Begun = { spans: readonly Window[]; all: Awaited<ReturnType<typeof beginChecks>> }

const withFigures = async (
  { question, source, spans, all }: Begun & { source: SampleSource; question: ReportQuestion },
  checks: readonly ReportedCheck[],
): Promise<ReportItem[]> => {
  const checkIds = checks.map(({ checkId }) => checkId)
  const tallied = await tallyChecks(all, checkIds, (tallies) => tallies.map(figuresOf))
  const downtime = await dependencyDowntime(source, { checkIds, spans, now: question.now })
  return checks.map((check) => {
    const [measured, causes] = [tallied.get(check.checkId), downtime.get(check.checkId)]
    const figuresAt = (at: number): FiguresOfSpan => ({
      ...(measured?.[at] ?? figuresOf(undefined)),
      dependencyDowntime: causes?.[at] ?? [],
    })
    return { ...check, ...figuresOfSpans(question, spans, figuresAt) }
  })
}

/** Of all that the question is about: how many there are, have runs, and have runs that all passed. */
export type ReportSums = { total: number; measured: number; perfect: number }
type ReportOrder = 'name' | 'uptime' | 'p95'
type PageAsked = { order: ReportOrder; offset: number; limit: number }

/** So many checks in an order, with their figures; of the others it is only counted how many runs passed, but where the order asks for more. */
export const reportPage = (
  app: App,
  question: ReportQuestion,
  asked: PageAsked,
): Promise<{ items: ReportItem[]; sums: ReportSums }> =>
  longRead(app, question.asker, (reading) =>
    whileKnown({ db: app.db }, (horizons) => pageOf(question, { db: app.db, reading }, { horizons, asked })),
  )

const countedAtOnce = 1000
const byName = (a: ReportedCheck, b: ReportedCheck): number => a.name.localeCompare(b.name)

const pageOf = async (
  question: ReportQuestion,
  list: ListSource,
  { horizons, asked: { order, offset, limit } }: { horizons: Horizons; asked: PageAsked },
): Promise<{ items: ReportItem[]; sums: ReportSums }> => {
  if (order === 'p95') {
    const items = (await reportOf(question, list, horizons)).sort(byName)
    const slowness = ({ aggregate }: ReportItem): number => -(aggregate?.p95 ?? -1)
    const ratios = items.map(({ aggregate }) => aggregate?.successRatio ?? null)
    const inOrder = items.toSorted((a, b) => slowness(a) - slowness(b))
    return { items: inOrder.slice(offset, offset + limit), sums: sumsOf(ratios) }
  }
  const { source, spans, all } = await beginReport(question, list, horizons)
  const checks = (await allChecks(source, question)).sort(byName)
  const ratios = new Map<string, number | null>()
  for (let at = 0; at < checks.length; at += countedAtOnce) {
    const ids = checks.slice(at, at + countedAtOnce).map(({ checkId }) => checkId)
    for (const [id, { runs, passed }] of await countChecks(all, ids)) ratios.set(id, ratioOf(runs, passed))
  }
  const badness = ({ checkId }: ReportedCheck): number => ratios.get(checkId) ?? 101
  const inOrder = order === 'uptime' ? checks.toSorted((a, b) => badness(a) - badness(b)) : checks
  const shown = await withTags(source, inOrder.slice(offset, offset + limit))
  const items: ReportItem[] = []
  for (let at = 0; at < shown.length; at += checksAtOnce(all))
    items.push(
      ...(await withFigures({ question, source, spans, all }, shown.slice(at, at + checksAtOnce(all)))),
    )
  return { items, sums: sumsOf([...ratios.values()]) }
}

const sumsOf = (ratios: readonly (number | null)[]): ReportSums => ({
  total: ratios.length,
  measured: ratios.filter((ratio) => ratio !== null).length,
  perfect: ratios.filter((ratio) => ratio === 100).length,
})

type Cursor = { afterAt: number; afterId: string }
type ChecksPage = { checks: ReportedCheck[]; next: Cursor | null }
type ReportedCheck = Omit<ReportItem, 'aggregate' | 'aggregates'>

const namesAtOnce = 1000

/** Their settings are read only where tags are asked for. */
const allChecks = async (source: SampleSource, question: ReportQuestion): Promise<ReportedCheck[]> => {
  const { accountId } = question.asker
  const read: ReadChecks =
    question.tags.length > 0
      ? (page) => source.db.all(checksForReport, { accountId, ...page })
      : async (page) =>
          (await source.db.all(namesForReport, { accountId, ...page })).map((row) => ({ ...row, doc: null }))
  const checks: ReportedCheck[] = []
  let cursor: Cursor | null = { afterAt: -1, afterId: '' }
  while (cursor !== null) {
    const page: ChecksPage = await nextChecks(source, question, { ...cursor, limit: namesAtOnce }, read)
    checks.push(...page.checks)
    cursor = page.next
  }
  return checks
}

const withTags = async ({ db }: SampleSource, checks: readonly ReportedCheck[]): Promise<ReportedCheck[]> => {
  const rows = await db.all(docsOfChecks, { ids: checks.map(({ checkId }) => checkId) })
  const tagsOf = new Map(rows.map(({ id, doc }) => [id, checkDoc.read(doc).tags]))
  return checks.map((check) => ({ ...check, tags: tagsOf.get(check.checkId) ?? check.tags }))
}

type CheckRow = {
  id: string
  name: string
  type: string
  activated: number | boolean
  created_at: number
  group_id: number | null
  /** Null: no tags are asked for. */
  doc: string | null
}
type ReadChecks = (page: Cursor & { limit: number }) => Promise<CheckRow[]>

const nextChecks = (
  { db, reading }: SampleSource,
  { asker: { accountId }, tags: anyOf, groupId, deactivated: wanted }: ReportQuestion,
  page: Cursor & { limit: number },
  read: ReadChecks = (page) => db.all(checksForReport, { accountId, ...page }),
): Promise<ChecksPage> =>
  reading.piece(async () => {
    const rows = await read(page)
    const last = rows.length < page.limit ? undefined : rows.at(-1)
    const checks = rows.flatMap(({ id, name, type, activated, group_id, doc }): ReportedCheck[] => {
      if (groupId !== null && groupId !== group_id) return []
      const tags = doc === null ? [] : checkDoc.read(doc).tags
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
    successRatio: ratioOf(runs, passed),
    avg: aggregateBy('avg'),
    p95: aggregateBy('p95'),
    p99: aggregateBy('p99'),
  }
}

const ratioOf = (runs: number, passed: number): number | null =>
  runs === 0 ? null : rounded((100 * passed) / runs)
