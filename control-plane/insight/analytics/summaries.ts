import { type CheckType, protocolOf } from '../../../protocol/check-type.ts'
import { findCheck } from '../../monitoring/definitions/checks/queries.ts'
import { type Horizons, whileKnown } from '../../monitoring/results/rollups/horizons.ts'
import { numberMetric } from '../../monitoring/results/rollups/number-metric.ts'
import type { App } from '../../platform/app/app.ts'
import { type Asker, longRead } from '../../platform/long-reads/long-read.ts'
import { toIso } from '../../platform/words/shapes/instants.ts'
import { newBudget, type SampleSource } from './queries.ts'
import { knownOf, snap } from './snap.ts'
import { aggregatesOf, newDistribution, rounded } from './statistics.ts'
import { tallyBuckets } from './tally-buckets.ts'
import { isEmpty, type Window } from './window.ts'

type Summary = Record<string, unknown> & {
  checkId: string
  checkType: string
  availability: number | null
}

type SummaryRequest = { asker: Asker; checkIds: readonly string[]; window: Window }

/** In the order of the ids; ids that are not the account's are left out. */
export const summarize = (app: App, { asker, checkIds, window }: SummaryRequest): Promise<Summary[]> =>
  longRead(app, asker, async (reading) => {
    return whileKnown({ db: app.db }, async (horizons) => {
      const source = { db: app.db, reading, budget: newBudget() }
      const covered = snap({ window, intervalMs: null }, knownOf(horizons, false)).window
      const summaries: Summary[] = []
      for (const id of checkIds) {
        const check = await app.db.get(findCheck, { id, accountId: asker.accountId })
        if (check)
          summaries.push(await summaryOf(source, { id, checkType: check.type, window: covered, horizons }))
      }
      return summaries
    })
  })

type CheckWindow = { id: string; checkType: string; window: Window; horizons: Horizons }

const summaryOf = async (
  source: SampleSource,
  { id, checkType, window, horizons }: CheckWindow,
): Promise<Summary> => {
  const type = checkType as CheckType
  const summary = protocolOf(type).summary.map(({ name, metric, by }) => ({
    name,
    by,
    number: numberMetric(type, metric),
  }))
  const question = {
    checkId: id,
    checkType: type,
    buckets: isEmpty(window) ? [] : [{ ...window, timestamp: window.from }],
    numbers: summary.map(({ number }) => number),
    hasRetries: false,
    division: null,
    status: null,
    keys: null,
  }
  const [groups] = await tallyBuckets(source, [question], horizons)
  const [tally] = groups?.get(null) ?? []
  const { runs = 0, passed = 0 } = tally ?? {}
  return {
    checkId: id,
    checkType,
    from: toIso(window.from),
    to: toIso(window.to),
    availability: runs === 0 ? null : rounded((100 * passed) / runs),
    ...Object.fromEntries(
      summary.flatMap(({ name, by, number }) => {
        const aggregateBy = aggregatesOf(tally?.numbers.get(number.name) ?? newDistribution())
        return by.map((each) => [`${name}_${each}`, aggregateBy(each)])
      }),
    ),
  }
}
