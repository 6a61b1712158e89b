/** What is known of which time: what counting has reached, and what age has taken. */
import type { ListSource } from '../../../platform/long-reads/read-slices.ts'
import { query } from '../../../platform/store/database/query.ts'
import { findProgress, noProgress } from './queries.ts'
import { dayMs } from './spans.ts'

export type Horizons = {
  /** Hours and days before these instants are counted. */
  hoursUntil: number
  daysUntil: number
  /** Every judged result that began since is there. */
  rawSince: number
  /** Quarters are there since, and hours by location and status. */
  fineSince: number
  /** Hours and days are there since. */
  rollupsSince: number
}

const findSince = query('known-since', (k, _: Record<string, never>) =>
  k.selectFrom('rollup_horizon').select(['raw_since', 'rollups_since']).where('id', '=', 1),
)

export const horizonsOf = async ({ db }: Pick<ListSource, 'db'>): Promise<Horizons> => {
  const progress = (await db.get(findProgress, {})) ?? noProgress
  const since = await db.get(findSince, {})
  const { thinned_until, thinned_after } = progress
  return {
    hoursUntil: progress.hours_until,
    daysUntil: progress.days_until,
    rawSince: since?.raw_since ?? 0,
    // The day that is being thinned is so of some checks already.
    fineSince: thinned_after === '' ? thinned_until : thinned_until + dayMs,
    rollupsSince: since?.rollups_since ?? 0,
  }
}

/** Reads once more where age took something meanwhile. */
export const whileKnown = async <T>(
  source: Pick<ListSource, 'db'>,
  read: (horizons: Horizons) => Promise<T>,
): Promise<T> => {
  const known = await horizonsOf(source)
  const answer = await read(known)
  const now = await horizonsOf(source)
  const isSame = (['rawSince', 'fineSince', 'rollupsSince'] as const).every(
    (name) => now[name] === known[name],
  )
  return isSame ? answer : whileKnown(source, read)
}
