/** All SQL of analytics and reporting: results as samples, in slices, so that memory and pauses are bounded. */
import { resultDoc } from '../../monitoring/check-results/result-doc.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { ListSource } from '../../platform/long-reads/read-slices.ts'
import { eachResultSlice, type ResultList, type ResultSlice } from '../../platform/results/list-results.ts'
import type { Direction } from '../../platform/results/read-part.ts'
import type { Result } from '../../platform/results/result.ts'
import type { Sample } from './sample.ts'

/** Results that one request may read in all. */
export const maxResults = 1_000_000

/** Of a check that is known to be the account's: the index has no accounts, and nothing else is read where no part is. */
export type SampleFilter = {
  checkId: string
  from: number
  to: number
  status: 'success' | 'failure' | null
  /** Parts of the results' documents to read, as dotted paths. */
  parts: readonly string[]
}

/** FINAL results that were judged: failures of the service itself and cancelled runs say nothing about the target. */
const resultsOf = ({ checkId, from, to, status }: SampleFilter, direction: Direction): ResultList => ({
  checkId,
  direction,
  from,
  to,
  filter: {
    resultType: 'FINAL',
    hasErrors: false,
    isCancelled: false,
    hasFailures: status === null ? undefined : status === 'failure',
    failing: status === 'failure' ? true : undefined,
  },
})

/** Documents are read only where a part of them is asked for. */
const readSamples = async (slice: ResultSlice, parts: readonly string[], limit: number): Promise<Sample[]> =>
  parts.length === 0
    ? (await slice.rows(limit)).map((row) => sampleOf(row, {}))
    : (await slice.documented(limit, 'short')).map((row) => sampleOf(row, partsOf(row.doc, parts)))

/** No slice has as many. */
const all = 1_000_000

/** How many more results may be read: shared by all the reads of one request. */
export type Budget = { left: number }
export const newBudget = (): Budget => ({ left: maxResults })

/** What a request reads samples with. */
export type SampleSource = ListSource & { budget: Budget }

const charge = (budget: Budget, count: number): void => {
  budget.left -= count
  if (budget.left < 0)
    throw new ApiError(
      400,
      `The window holds more than ${maxResults} results: ask for a shorter one or fewer checks`,
    )
}

/**
 * Every sample of the window in the order of time, to `each`. Other work gets its turn between slices.
 * @throws ApiError 400 when the budget is used up
 */
export const eachSample = (
  source: SampleSource,
  filter: SampleFilter,
  each: (sample: Sample) => void,
): Promise<void> =>
  eachResultSlice(source, resultsOf(filter, 'oldest-first'), {
    read: async (slice) => {
      const samples = await readSamples(slice, filter.parts, all)
      charge(source.budget, samples.length)
      for (const sample of samples) each(sample)
      return true
    },
  })

/** One page of samples, the first page with the newest, each in the order of time. */
export const pageOfSamples = async (
  source: ListSource,
  filter: SampleFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<Sample[]> => {
  const samples: Sample[] = []
  let skip = offset
  await eachResultSlice(source, resultsOf(filter, 'newest-first'), {
    read: async (slice) => {
      const count = skip === 0 ? 0 : await slice.count()
      if (skip > 0 && count <= skip) {
        skip -= count
        return true
      }
      const wanted = skip + limit - samples.length
      samples.push(...(await readSamples(slice, filter.parts, wanted)).slice(skip))
      skip = 0
      return samples.length < limit
    },
  })
  return samples.reverse()
}

const sampleOf = (row: Result, parts: Sample['parts']): Sample => ({
  startedAt: row.started_at,
  location: row.location,
  passed: !row.has_failures,
  responseTime: row.response_time,
  retries: row.attempts,
  parts,
})

const partsOf = (text: string, paths: readonly string[]): Record<string, unknown> => {
  const doc: unknown = resultDoc.read(text)
  return Object.fromEntries(paths.map((path) => [path, path.split('.').reduce(inside, doc) ?? null]))
}

const inside = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
