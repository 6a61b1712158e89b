/**
 * What can be answered of times past. Where the results themselves are gone, what begins or ends within a quarter of an
 * hour is widened to whole ones; where quarters are gone, to whole hours, and to days where runs are told apart. What is
 * not known at all is left out. The answer says so. Pure.
 */
import type { Horizons } from '../../monitoring/results/rollups/horizons.ts'
import { dayMs, hourMs, quarterMs } from '../../monitoring/results/rollups/spans.ts'
import type { Window } from './window.ts'

type Zone = Window & { grainMs: number }

type Known = {
  /** In the order of time, without gaps. */
  zones: readonly Zone[]
  since: number
  /** Every result is there since. */
  exactSince: number
}

const up = (instant: number, grainMs: number): number => Math.ceil(instant / grainMs) * grainMs
const down = (instant: number, grainMs: number): number => Math.floor(instant / grainMs) * grainMs

/** `apart`: by location, status or page. */
export const knownOf = ({ rawSince, fineSince, rollupsSince }: Horizons, apart: boolean): Known => {
  const coarseMs = apart ? dayMs : hourMs
  const fineFrom = Math.max(fineSince, rollupsSince)
  const exactSince =
    rawSince <= rollupsSince ? rawSince : up(rawSince, rawSince > fineFrom ? hourMs : coarseMs)
  const zones = [
    { from: rollupsSince, to: Math.min(fineFrom, exactSince), grainMs: coarseMs },
    { from: fineFrom, to: exactSince, grainMs: quarterMs },
    { from: exactSince, to: Number.POSITIVE_INFINITY, grainMs: 1 },
  ]
  const since = Math.min(rollupsSince, exactSince)
  return { zones: zones.filter(({ from, to }) => from < to), since, exactSince }
}

const grainAt = ({ zones }: Known, instant: number): number =>
  zones.find(({ to }) => instant < to)?.grainMs ?? 1

export type Snapped = { window: Window; intervalMs: number | null; snappedToMs: number | null }

export const snap = (
  { window, intervalMs }: { window: Window; intervalMs: number | null },
  known: Known,
): Snapped => {
  const asked = { from: Math.min(window.to, Math.max(window.from, known.since)), to: window.to }
  if (asked.from === asked.to) return { window: asked, intervalMs, snappedToMs: null }
  const [fromGrain, toGrain] = [grainAt(known, asked.from), grainAt(known, asked.to - 1)]
  const covered = { from: down(asked.from, fromGrain), to: up(asked.to, toGrain) }
  const grainMs = Math.max(
    ...known.zones
      .filter(({ from, to }) => from < covered.to && to > covered.from)
      .map((zone) => zone.grainMs),
  )
  const widened = intervalMs === null ? null : up(intervalMs, grainMs)
  const used = [
    ...(covered.from === asked.from ? [] : [fromGrain]),
    ...(covered.to === asked.to ? [] : [toGrain]),
    ...(widened === intervalMs ? [] : [grainMs]),
  ]
  return { window: covered, intervalMs: widened, snappedToMs: used.length === 0 ? null : Math.max(...used) }
}

/** Buckets that touch each other, of which those that nothing is known of are left out. */
export const snapAll = (buckets: readonly Window[], known: Known): Window[] => {
  const last = buckets.at(-1)
  return buckets.flatMap((bucket) => {
    const from = Math.max(known.since, bucket.from)
    if (from >= bucket.to) return []
    const to =
      bucket === last
        ? up(bucket.to, grainAt(known, bucket.to - 1))
        : down(bucket.to, grainAt(known, bucket.to))
    return [{ from: down(from, grainAt(known, from)), to }]
  })
}
