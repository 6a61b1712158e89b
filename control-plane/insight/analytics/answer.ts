import { checkDoc } from '../../monitoring/checks/check-doc.ts'
import { findCheck } from '../../monitoring/checks/queries.ts'
import type { App } from '../../platform/app.ts'
import type { ChecksTable } from '../../platform/database/tables/runs.ts'
import { notFound } from '../../platform/http/errors.ts'
import { offsetOf } from '../../platform/http/offset-page.ts'
import { toIso } from '../../platform/shapes/instant.ts'
import type { GroupBy } from './kinds.ts'
import { type AskedMetric, metadataOf } from './metrics.ts'
import { eachSample, newBudget, pageOfSamples } from './queries.ts'
import type { Part, Sample } from './sample.ts'
import type { AnalyticsSeries } from './schema.ts'
import { bucketsOf, collect, isPerRun, perRunSeries, type Series } from './series.ts'
import type { Window } from './window.ts'

export type Question = {
  accountId: string
  checkId: string
  /** A check of another type is not found. */
  checkTypes: readonly string[]
  window: Window
  intervalMs: number | null
  metrics: readonly AskedMetric[]
  groupBy: GroupBy | null
  status: 'success' | 'failure' | null
  /** Samples that count; all unless told otherwise. */
  accept?: (sample: Sample) => boolean
  extraParts?: readonly Part[]
  limit: number
  page: number
}

/** @throws ApiError 404 and, for a window with too many results, 400 */
export const answer = async (app: App, question: Question): Promise<AnalyticsSeries> => {
  const { accountId, checkId, window, metrics, limit, page } = question
  const check = await app.db.get(findCheck, { id: checkId, accountId })
  if (check === undefined || !question.checkTypes.includes(check.type)) throw notFound()
  const perRun = isPerRun(metrics, question.intervalMs)
  return {
    ...head(check),
    from: toIso(window.from),
    to: toIso(window.to),
    series: perRun ? await runs(app, question) : await rows(app, question),
    pagination: { page, limit },
    metadata: Object.fromEntries(metrics.map((metric) => [metric.name, metadataOf(metric, perRun)])),
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

/** Only the parts of the documents that the question needs are read. */
const partsOf = ({ metrics, groupBy, extraParts = [] }: Question): Part[] => {
  const parts = metrics.flatMap((metric) =>
    'number' in metric && metric.number.part ? [metric.number.part] : [],
  )
  const byGroup: Part[] = groupBy === 'statusCode' ? ['statusCode'] : groupBy === 'pageIndex' ? ['pages'] : []
  return [...new Set([...parts, ...byGroup, ...extraParts])]
}

const filterOf = (question: Question, { from, to }: Window) => ({
  accountId: question.accountId,
  checkId: question.checkId,
  from,
  to,
  status: question.status,
  parts: partsOf(question),
})

const runs = async (app: App, question: Question): Promise<Series[]> => {
  const { limit, window, metrics, groupBy } = question
  const samples = await pageOfSamples(app.db, filterOf(question, window), {
    limit,
    offset: offsetOf(question),
  })
  return perRunSeries(samples, metrics, groupBy)
}

/** Reads no more than what the rows of the asked page cover. */
const rows = async (app: App, question: Question): Promise<Series[]> => {
  const { window, intervalMs, limit, metrics, groupBy, accept = () => true } = question
  const buckets = bucketsOf(window, intervalMs, { limit, offset: offsetOf(question) })
  const collector = collect({ buckets, metrics, groupBy })
  const [first] = buckets
  const last = buckets.at(-1)
  if (first && last)
    await eachSample(app.db, filterOf(question, { from: first.from, to: last.to }), {
      budget: newBudget(),
      each: (sample) => {
        if (accept(sample)) collector.add(sample)
      },
    })
  return collector.series()
}
