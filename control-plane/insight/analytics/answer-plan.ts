/**
 * Which hours of some buckets are read how. Counted hours come from rollups, whole days as such; an hour that a bucket begins
 * or ends in comes from its raw results, as does what is not counted yet. Pure.
 */
import { dayMs, hourMs, hourOf } from '../../monitoring/results/rollups/spans.ts'
import type { Window } from './window.ts'

/** `counted`: of an hour that is counted too, so that it is known how many raw results it had. */
export type Stretch = Window & { from: number; to: number; read: 'days' | 'hours' | 'raw' | 'counted-raw' }

type Plan = {
  /** In the order of time; each begins where the one before it ends. */
  buckets: readonly Window[]
  hoursUntil: number
  daysUntil: number
  /** Everything as exactly as it can be. */
  exact: boolean
}

export const planStretches = ({ buckets, hoursUntil, daysUntil, exact }: Plan): Stretch[] => {
  const first = buckets[0]
  const last = buckets.at(-1)
  if (first === undefined || last === undefined) return []
  const ends = [first.from, ...buckets.map(({ to }) => to)]
  const cutHours = new Set(ends.filter((end) => end % hourMs !== 0).map(hourOf))
  const cutDays = new Set(ends.filter((end) => end % dayMs !== 0).map((end) => Math.floor(end / dayMs)))
  const stretches: Stretch[] = []
  let at = hourOf(first.from)
  while (at < last.to) {
    const isDay = !exact && at % dayMs === 0 && at + dayMs <= daysUntil && at + dayMs <= last.to
    if (isDay && !cutDays.has(at / dayMs)) {
      at = extend(stretches, { read: 'days', from: at, to: at + dayMs })
      continue
    }
    const isCounted = at + hourMs <= hoursUntil
    const read = !isCounted ? 'raw' : exact || cutHours.has(at) ? 'counted-raw' : 'hours'
    at = extend(stretches, { read, from: at, to: isCounted ? at + hourMs : last.to })
  }
  return stretches
}

/** Neighbours that are read alike are one. Returns where the next begins. */
const extend = (stretches: Stretch[], next: Stretch): number => {
  const before = stretches.at(-1)
  if (before?.read === next.read && before.to === next.from) before.to = next.to
  else stretches.push(next)
  return next.to
}
