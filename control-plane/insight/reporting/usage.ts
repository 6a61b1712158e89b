/**
 * How many runs of each type of checks an account had, in days of UTC: what the rollups have counted, and the results themselves
 * where they are few, as in the report. Deleted checks have taken their results with them.
 */
import type { CheckType } from '../../../protocol/check-type.ts'
import { whileKnown } from '../../monitoring/results/rollups/horizons.ts'
import { dayMs } from '../../monitoring/results/rollups/spans.ts'
import type { App } from '../../platform/app/app.ts'
import { type Asker, longRead } from '../../platform/long-reads/long-read.ts'
import { invalid, violation } from '../../platform/words/errors.ts'
import { newBudget } from '../analytics/queries.ts'
import { beginChecks, checksAtOnce, tallyChecks } from '../analytics/tally-checks.ts'
import type { Window } from '../analytics/window.ts'
import { checksForReport } from './queries.ts'

export type Runs = { runs: number; failed: number }
/** Of each period, in their order, of each type that had runs in it. */
type RunsByType = ReadonlyMap<CheckType, Runs>

type UsageQuestion = {
  asker: Asker
  /** Whole days that touch each other. */
  periods: readonly Window[]
  /** None: all. */
  types: readonly string[]
}

export const usageOf = (app: App, question: UsageQuestion): Promise<RunsByType[]> =>
  longRead(app, question.asker, (reading) =>
    whileKnown({ db: app.db }, async (horizons) => {
      const { asker, periods, types } = question
      const source = { db: app.db, reading, budget: newBudget() }
      const buckets = periods.map((period) => ({ ...period, timestamp: period.from }))
      const all = await beginChecks(source, buckets, horizons)
      const sums = periods.map(() => new Map<CheckType, Runs>())
      const limit = checksAtOnce(all)
      let last: Place | undefined = { created_at: -1, id: '' }
      while (last !== undefined) {
        const rows: readonly FoundCheck[] = await reading.piece(
          pageAfter(app, { accountId: asker.accountId, last, limit }),
        )
        const counted = rows.filter(({ type }) => types.length === 0 || types.includes(type))
        const runsOf = await tallyChecks(
          all,
          counted.map(({ id }) => id),
          (tallies) => tallies.map(({ runs, passed }) => ({ runs, failed: runs - passed })),
        )
        for (const { id, type } of counted)
          for (const [at, runs] of (runsOf.get(id) ?? []).entries())
            addRuns(sums[at], type as CheckType, runs)
        last = rows.length < limit ? undefined : rows.at(-1)
      }
      return sums
    }),
  )

type Place = { created_at: number; id: string }
type FoundCheck = Place & { type: string }

const pageAfter =
  (app: App, { accountId, last, limit }: { accountId: string; last: Place; limit: number }) =>
  (): Promise<FoundCheck[]> =>
    app.db.all(checksForReport, { accountId, afterAt: last.created_at, afterId: last.id, limit })

const addRuns = (sums: Map<CheckType, Runs> | undefined, type: CheckType, { runs, failed }: Runs): void => {
  if (runs === 0) return
  const sum = sums?.get(type)
  sums?.set(type, { runs: (sum?.runs ?? 0) + runs, failed: (sum?.failed ?? 0) + failed })
}

/** What rollups are kept in detail for, and what a question may ask about at most. */
const maxDays = 400

type AskedDays = { from?: string; to?: string }

/** Both days included, so that the end is the midnight after `to`. @throws ApiError 400 */
export const daysOf = ({ from, to }: AskedDays, startedAt: number, now: number): Window => {
  const end = (to === undefined ? midnight(now) : instantOfDay('to', to)) + dayMs
  const first = Math.min(Math.max(midnight(startedAt), end - maxDays * dayMs), end - dayMs)
  const start = from === undefined ? first : instantOfDay('from', from)
  if (start >= end) throw invalid([violation('from', 'window', 'must not be after "to"')])
  if (end - start > maxDays * dayMs)
    throw invalid([violation('from', 'window', `must be at most ${maxDays} days before "to"`)])
  return { from: start, to: end }
}

export const midnight = (instant: number): number => Math.floor(instant / dayMs) * dayMs

/** A day that no calendar has, such as 30 February, is refused by the format already. */
const instantOfDay = (field: string, day: string): number => {
  const instant = Date.parse(`${day}T00:00:00.000Z`)
  if (Number.isNaN(instant)) throw invalid([violation(field, 'format', 'must be a day, as in 2026-01-31')])
  return instant
}
