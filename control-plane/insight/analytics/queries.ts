/** How many raw results a request of analytics or reporting may read. */
import { eachRawResult, pageOfRawResults, type RawFilter } from '../../monitoring/results/raw-results.ts'
import type { Sample } from '../../monitoring/results/rollups/number-metric.ts'
import type { ListSource } from '../../platform/long-reads/read-slices.ts'
import { ApiError } from '../../platform/words/errors.ts'

/** Results that one request may read in all. */
const maxResults = 1_000_000

/** How many more results may be read: shared by all the reads of one request. */
type Budget = { left: number }
export const newBudget = (): Budget => ({ left: maxResults })

/** What a request reads samples with. */
export type SampleSource = ListSource & { budget: Budget }

/**
 * Every sample of the window in the order of time, to `each`. Other work gets its turn between slices.
 * @throws ApiError 400 when the budget is used up
 */
export const eachSample = (
  source: SampleSource,
  filter: RawFilter,
  each: (sample: Sample) => void,
): Promise<void> =>
  eachRawResult(source, filter, (result) => {
    spend(source.budget)
    each(result)
  })

/** One more result. @throws ApiError 400 when there are none left */
export const spend = (budget: Budget): void => {
  budget.left -= 1
  if (budget.left < 0)
    throw new ApiError(
      400,
      `The window holds more than ${maxResults} results: ask for a shorter one or fewer checks`,
    )
}

/** One page of samples, the first page with the newest, each in the order of time. */
export const pageOfSamples: (
  source: ListSource,
  filter: RawFilter,
  page: { limit: number; offset: number },
) => Promise<Sample[]> = pageOfRawResults
