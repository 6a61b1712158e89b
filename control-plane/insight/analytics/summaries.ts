import { type CheckType, protocolOf } from '../../../protocol/check-type.ts'
import { findCheck } from '../../monitoring/checks/queries.ts'
import type { App } from '../../platform/app.ts'
import { type Asker, longRead } from '../../platform/long-reads/long-read.ts'
import { eachSample, newBudget, type SampleSource } from './queries.ts'
import { numberMetric } from './sample.ts'
import { aggregatesOf, rounded } from './statistics.ts'
import type { Window } from './window.ts'

export type Summary = Record<string, unknown> & {
  checkId: string
  checkType: string
  availability: number | null
}

type SummaryRequest = { asker: Asker; checkIds: readonly string[]; window: Window }

/** In the order of the ids; ids that are not the account's are left out. */
export const summarize = (app: App, { asker, checkIds, window }: SummaryRequest): Promise<Summary[]> =>
  longRead(app, asker, async (reading) => {
    const source = { db: app.db, reading, budget: newBudget() }
    const summaries: Summary[] = []
    for (const id of checkIds) {
      const check = await app.db.get(findCheck, { id, accountId: asker.accountId })
      if (check) summaries.push(await summaryOf(source, { id, checkType: check.type, window }))
    }
    return summaries
  })

type CheckWindow = { id: string; checkType: string; window: Window }

const summaryOf = async (source: SampleSource, { id, checkType, window }: CheckWindow): Promise<Summary> => {
  const type = checkType as CheckType
  const numbers = protocolOf(type).summary.map(({ name, metric, by }) => ({
    name,
    by,
    number: numberMetric(type, metric),
    values: [] as number[],
  }))
  const parts = [...new Set(numbers.flatMap(({ number }) => number.part ?? []))]
  let runs = 0
  let passed = 0
  await eachSample(source, { checkId: id, ...window, status: null, parts }, (sample) => {
    runs += 1
    passed += sample.passed ? 1 : 0
    for (const { number, values } of numbers) values.push(...number.read(sample))
  })
  return {
    checkId: id,
    checkType,
    availability: runs === 0 ? null : rounded((100 * passed) / runs),
    ...Object.fromEntries(
      numbers.flatMap(({ name, by, values }) => {
        const aggregateBy = aggregatesOf(values)
        return by.map((each) => [`${name}_${each}`, aggregateBy(each)])
      }),
    ),
  }
}
