/** How many runs of 30 days passed and how long they took, of many checks at once; kept for some minutes, as it is a walk through all days. */
import { boundedCache } from '../../../protocol/bounded-memo.ts'
import { responseTime } from '../../../protocol/checks/metric.ts'
import { newBudget } from '../../insight/analytics/queries.ts'
import type { Tally } from '../../insight/analytics/series.ts'
import { knownOf, snapAll } from '../../insight/analytics/snap.ts'
import { aggregatesOf, newDistribution } from '../../insight/analytics/statistics.ts'
import { beginChecks, tallyChecks } from '../../insight/analytics/tally-checks.ts'
import { whileKnown } from '../../monitoring/results/rollups/horizons.ts'
import type { App } from '../../platform/app/app.ts'
import { perApp } from '../../platform/app/per-app.ts'
import { longRead } from '../../platform/long-reads/long-read.ts'
import { ApiError } from '../../platform/words/errors.ts'

/** Who asks, and until when. */
type FiguresContext = {
  app: App
  now: number
  principal: { accountId: string }
  input: { signal: AbortSignal }
}

/** Null: nothing was measured. */
export type ListFigures = { uptime: number | null; p95: number | null; p99: number | null }

const dayMs = 86_400_000
const days = 30
const keptMs = 5 * 60_000
const maxKept = 20_000
const atOnce = 100

const cacheOf = perApp(() => boundedCache<string, ListFigures & { at: number }>(maxKept))

/** Days are those of UTC, the last one until now. */
export const readListFigures = (
  context: FiguresContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ListFigures>> =>
  figuresNow(context, ids, { keptFor: keptMs, mostNew: ids.length })

/** Of so many checks at a time what is not known is measured; whoever asks again finds more. */
const mostNew = 1000
const sortedMs = 3_600_000

/** To sort by: it may be an hour old, and is not known of all where they are many. */
export const readSortFigures = (
  context: FiguresContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ListFigures>> => figuresNow(context, ids, { keptFor: sortedMs, mostNew })

const figuresNow = async (
  context: FiguresContext,
  ids: readonly string[],
  bounds: { keptFor: number; mostNew: number },
): Promise<ReadonlyMap<string, ListFigures>> => {
  const { app, now } = context
  const cache = cacheOf(app)
  const known = new Map<string, ListFigures>()
  const missing: string[] = []
  for (const id of ids) {
    const kept = cache.get(id)
    const isKnown = kept !== undefined && (kept.uptime !== null || bounds.keptFor === sortedMs)
    if (isKnown && kept.at <= now && now - kept.at < bounds.keptFor) known.set(id, kept)
    else missing.push(id)
  }
  for (const [id, figures] of await measured(context, missing.slice(0, bounds.mostNew))) {
    known.set(id, figures)
    cache.delete(id)
    // Of a check that began today each run counts, in a page; a long list is not measured again and again for it.
    if (figures.uptime !== null || ids.length > mostNew) cache.set(id, { ...figures, at: now })
  }
  return known
}

/** Where too many questions wait already, the list comes without figures. */
const measured = async (
  { app, now, principal: { accountId }, input: { signal } }: FiguresContext,
  ids: readonly string[],
): Promise<Map<string, ListFigures>> => {
  if (ids.length === 0) return new Map()
  const from = (Math.floor(now / dayMs) - days + 1) * dayMs
  try {
    return await longRead(app, { accountId, signal }, (reading) =>
      whileKnown({ db: app.db }, async (horizons) => {
        const source = { db: app.db, reading, budget: newBudget() }
        const window = snapAll([{ from, to: now }], knownOf(horizons, false))
        const all = await beginChecks(
          source,
          window.map((span) => ({ ...span, timestamp: span.from })),
          horizons,
        )
        const figures = new Map<string, ListFigures>()
        for (let at = 0; at < ids.length; at += atOnce) {
          const some = await tallyChecks(all, ids.slice(at, at + atOnce), ([tally]) => figuresOf(tally))
          for (const [id, each] of some) figures.set(id, each)
        }
        return figures
      }),
    )
  } catch (error) {
    if (error instanceof ApiError) return new Map()
    throw error
  }
}

const figuresOf = (tally: Tally | undefined): ListFigures => {
  const { runs = 0, passed = 0 } = tally ?? {}
  const aggregateBy = aggregatesOf(tally?.numbers.get(responseTime.name) ?? newDistribution())
  return {
    uptime: runs === 0 ? null : (100 * passed) / runs,
    ...{ p95: aggregateBy('p95'), p99: aggregateBy('p99') },
  }
}
