/**
 * Which hours of some buckets are read how. Counted hours come from rollups, whole days as such; an hour that a bucket begins
 * or ends in from its quarters, or, where the end is within one, from its raw results, as does what is not counted yet.
 * Buckets are cut only where their results are known (snap.ts). Pure.
 */
import type { Horizons } from '../../monitoring/results/rollups/horizons.ts'
import {
  daily,
  dayMs,
  type Grain,
  hourly,
  hourMs,
  hourOf,
  quarterly,
  quarterMs,
} from '../../monitoring/results/rollups/spans.ts'
import type { Window } from './window.ts'

export type Stretch = Window & { read: 'days' | 'hours' | 'quarters' | 'raw' }

type Plan = {
  /** In the order of time; each begins where the one before it ends. */
  buckets: readonly Window[]
  horizons: Horizons
  /** Runs are told apart by location, status or page. */
  apart: boolean
}

export const planStretches = ({ buckets, horizons, apart }: Plan): Stretch[] => {
  const first = buckets[0]
  const last = buckets.at(-1)
  if (first === undefined || last === undefined) return []
  const { hoursUntil, daysUntil, fineSince, rollupsSince } = horizons
  const ends = [first.from, ...buckets.map(({ to }) => to)]
  const cutIn = (ms: number) =>
    new Set(ends.filter((end) => end % ms !== 0).map((end) => Math.floor(end / ms)))
  const [cutDays, cutHours, cutQuarters] = [cutIn(dayMs), cutIn(hourMs), cutIn(quarterMs)]
  const hasCutQuarter = (hour: number): boolean =>
    [0, 1, 2, 3].some((quarter) => cutQuarters.has(hour / quarterMs + quarter))
  const readHour = (hour: number): Stretch['read'] => {
    const isFine = hour >= fineSince
    if (!cutHours.has(hour / hourMs) && (isFine || !apart)) return 'hours'
    return isFine && !hasCutQuarter(hour) ? 'quarters' : 'raw'
  }
  const stretches: Stretch[] = []
  let at = hourOf(first.from)
  while (at < last.to) {
    const isKnown = at >= rollupsSince
    const isDay = isKnown && at % dayMs === 0 && at + dayMs <= Math.min(daysUntil, last.to)
    if (isDay && !cutDays.has(at / dayMs)) {
      at = extend(stretches, { read: 'days', from: at, to: at + dayMs })
      continue
    }
    const isCounted = at + hourMs <= hoursUntil
    const read = isCounted && isKnown ? readHour(at) : 'raw'
    at = extend(stretches, { read, from: at, to: isCounted ? at + hourMs : last.to })
  }
  return stretches.map((stretch) => (stretch.read === 'raw' ? within(stretch, first, last) : stretch))
}

const within = (stretch: Stretch, first: Window, last: Window): Stretch => ({
  ...stretch,
  from: Math.max(stretch.from, first.from),
  to: Math.min(stretch.to, last.to),
})

/** Neighbours that are read alike are one. Returns where the next begins. */
const extend = (stretches: Stretch[], next: Stretch): number => {
  const before = stretches.at(-1)
  if (before?.read === next.read && before.to === next.from) before.to = next.to
  else stretches.push(next)
  return next.to
}

const grains = { days: daily, hours: hourly, quarters: quarterly } as const

/** Of the rows that a stretch is read from. */
export const grainOf = (read: Exclude<Stretch['read'], 'raw'>): Grain => grains[read]
