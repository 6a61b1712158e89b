import type { CheckType } from '../../../protocol/check-type.ts'
import type { Metric } from '../../../protocol/checks/metric.ts'
import { checkDoc } from '../../monitoring/definitions/checks/check-doc.ts'
import { findCheck } from '../../monitoring/definitions/checks/queries.ts'
import type { Grouping } from '../../monitoring/definitions/checks/types/analytics.ts'
import { type Horizons, whileKnown } from '../../monitoring/results/rollups/horizons.ts'
import {
  type Division,
  divisionOf,
  type NumberMetric,
  numberMetric,
} from '../../monitoring/results/rollups/number-metric.ts'
import type { App } from '../../platform/app/app.ts'
import { type Asker, longRead } from '../../platform/long-reads/long-read.ts'
import type { ListSource } from '../../platform/long-reads/read-slices.ts'
import type { ChecksTable } from '../../platform/store/database/tables/runs.ts'
import { offsetOf } from '../../platform/web/http/answers/offset-page.ts'
import { notFound } from '../../platform/words/errors.ts'
import { toIso } from '../../platform/words/shapes/instants.ts'
import { type AskedMetric, findMetrics, metadataOf } from './metrics.ts'
import { newBudget, pageOfSamples } from './queries.ts'
import type { AnalyticsSeries } from './schema.ts'
import { bucketsOf, isPerRun, numbersIn, perRunSeries, type Series, seriesOfGroups } from './series.ts'
import { knownOf, type Snapped, snap } from './snap.ts'
import { isApart, tallyBuckets } from './tally-buckets.ts'
import { isEmpty, type Window } from './window.ts'

/** Which runs are asked about. */
type Subject = {
  asker: Asker
  checkId: string
  /** A check of another type is not found. */
  checkTypes: readonly string[]
  /** The numbers that the check's type has. */
  numbers: readonly Metric[]
  status: 'success' | 'failure' | null
  /** States of a heartbeat's events; null: all. */
  states?: readonly string[] | null
}

/** What is asked of them. */
export type Asked = {
  window: Window
  intervalMs: number | null
  /** Numbers of the type, or common metrics. */
  metricNames: readonly string[]
  grouping: Grouping | null
  limit: number
  page: number
}

export type Question = Subject & Asked

/** A question about a check whose type is known: how its results have what was asked for. */
type QuestionOfType = Question & {
  checkType: CheckType
  metrics: readonly AskedMetric<NumberMetric>[]
  division: Division | null
}

/** @throws ApiError 404 and, for a window with too many results, 400 */
export const answer = async (app: App, question: Question): Promise<AnalyticsSeries> => {
  const [only] = await answerAll(app, question, [question])
  if (only === undefined) throw new Error('A question has no answer')
  return only
}

/** Several questions about the same runs, in their order: what they need is read once. @throws as `answer` */
export const answerAll = async (
  app: App,
  subject: Subject,
  asked: readonly Asked[],
): Promise<AnalyticsSeries[]> => {
  const { asker, checkId, checkTypes } = subject
  const check = await app.db.get(findCheck, { id: checkId, accountId: asker.accountId })
  if (check === undefined || !checkTypes.includes(check.type)) throw notFound()
  const questions = asked.map((one) => questionOfType({ ...subject, ...one }, check.type as CheckType))
  const answered = await longRead(app, asker, (reading) => {
    const source = { db: app.db, reading }
    return whileKnown(source, async (horizons) => {
      const tallied = await rows(source, questions.filter(isOfRows), horizons)
      const all: Answered[] = []
      for (const question of questions) {
        const next = isOfRows(question) ? tallied.shift() : undefined
        all.push(next ?? (await runs(source, question, horizons)))
      }
      return all
    })
  })
  return questions.map((question, at) => answerOf(check, question, answered[at] as Answered))
}

const isOfRows = ({ metrics, intervalMs }: QuestionOfType): boolean => !isPerRun(metrics, intervalMs)

const answerOf = (
  check: Pick<ChecksTable, 'id' | 'type' | 'doc'>,
  question: QuestionOfType,
  { series, covered }: Answered,
): AnalyticsSeries => {
  const { metrics, limit, page } = question
  const perRun = !isOfRows(question)
  return {
    ...head(check),
    from: toIso(covered.window.from),
    to: toIso(covered.window.to),
    aggregationInterval: minutesOf(covered.intervalMs),
    snappedTo: minutesOf(covered.snappedToMs),
    series,
    pagination: { page, limit },
    metadata: Object.fromEntries(metrics.map((metric) => [metric.name, metadataOf(metric, perRun)])),
  }
}

const questionOfType = (question: Question, type: CheckType): QuestionOfType => {
  const { numbers, metricNames, grouping } = question
  const known = numbers.map((number) => numberMetric(type, number))
  return {
    ...question,
    checkType: type,
    metrics: findMetrics(known, metricNames),
    division: grouping === null ? null : divisionOf(type, grouping),
  }
}

const head = (check: Pick<ChecksTable, 'id' | 'type' | 'doc'>) => {
  const { name, activated, muted, frequency, tags } = checkDoc.read(check.doc)
  return {
    checkId: check.id,
    name,
    checkType: check.type as AnalyticsSeries['checkType'],
    activated,
    muted,
    frequency: frequency ?? null,
    tags,
  }
}

const minutesOf = (ms: number | null): number | null => (ms === null ? null : ms / 60_000)

type Answered = { series: Series[]; covered: Snapped }

/** Of the time in which all runs are there. */
const runs = async (source: ListSource, question: QuestionOfType, horizons: Horizons): Promise<Answered> => {
  const { checkId, status, limit, metrics, division } = question
  const { exactSince } = knownOf(horizons, false)
  const { from, to } = question.window
  const window = { from: Math.min(to, Math.max(from, exactSince)), to }
  const parts = numbersIn(metrics).flatMap(({ part }) => part ?? [])
  const filter = {
    checkId,
    ...window,
    status,
    parts: [...new Set([...parts, ...(division?.part ? [division.part] : [])])],
  }
  const samples = await pageOfSamples(source, filter, { limit, offset: offsetOf(question) })
  return {
    series: perRunSeries(samples, metrics, division),
    covered: { window, intervalMs: null, snappedToMs: null },
  }
}

/** Reads no more than what the rows of the asked pages cover. */
const rows = async (
  source: ListSource,
  questions: readonly QuestionOfType[],
  horizons: Horizons,
): Promise<Answered[]> => {
  const plans = questions.map((question) => {
    const { limit, metrics, division, states: keys = null } = question
    const covered = snap(question, knownOf(horizons, isApart({ division, keys })))
    const { window, intervalMs } = covered
    const buckets = isEmpty(window)
      ? []
      : bucketsOf(window, intervalMs, { limit, offset: offsetOf(question) })
    const hasRetries = metrics.some((metric) => 'common' in metric && metric.common === 'retries')
    return { ...question, covered, buckets, numbers: numbersIn(metrics), hasRetries, keys }
  })
  const tallied = await tallyBuckets(
    { ...source, budget: newBudget() },
    plans.filter(({ buckets }) => buckets.length > 0),
    horizons,
  )
  return plans.map(({ buckets, metrics, division, covered }) => {
    const groups = buckets.length === 0 ? undefined : tallied.shift()
    if (groups === undefined) return { series: division === null ? [{ data: [] }] : [], covered }
    return { series: seriesOfGroups(groups, { buckets, metrics, division }), covered }
  })
}
