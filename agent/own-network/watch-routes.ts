import type { TimerClock } from '../../protocol/clock.ts'
import type { Routes } from './evidence.ts'
import { type RouteTables, type WaysOut, waysOut } from './route-tables.ts'

/** Looks at the routes while runs are in flight, since a way that was away for a while is back when they have failed. */
export type RouteWatch = {
  begin(): void
  end(): void
  /** The worst that was seen since then, now included. */
  since(instant: number): Routes
  /** A target elsewhere answered: whatever routes there are now, they do. */
  works(): void
}

const lookEveryMs = 1000

type Io = { clock: Pick<TimerClock, 'at' | 'monotonic'>; readRoutes(): RouteTables }

export const watchRoutes = ({ clock, readRoutes }: Io): RouteWatch => {
  let runs = 0
  let isWatching = false
  let hadDefault = false
  let lookedAt = Number.NEGATIVE_INFINITY
  let last: Routes = 'there'
  const never = Number.NEGATIVE_INFINITY
  const awayAt = { none: never, lost: never, unplugged: never }

  const look = (): Routes => {
    const ways = waysOut(readRoutes())
    lookedAt = clock.monotonic()
    last = ways === null ? 'there' : routesOf(ways, hadDefault)
    hadDefault ||= ways?.others === true
    if (last !== 'there') awayAt[last] = lookedAt
    return last
  }
  const keepLooking = (): void => {
    isWatching = runs > 0
    if (!isWatching) return
    look()
    clock.at(lookEveryMs, keepLooking)
  }
  return {
    begin: () => {
      runs += 1
      if (isWatching) return
      isWatching = true
      if (clock.monotonic() - lookedAt >= lookEveryMs) look()
      clock.at(lookEveryMs, keepLooking)
    },
    end: () => {
      runs -= 1
    },
    since: (instant) => {
      const now = look()
      if (now === 'none' || awayAt.none >= instant) return 'none'
      if (awayAt.lost >= instant) return 'lost'
      return awayAt.unplugged >= instant ? 'unplugged' : 'there'
    },
    works: () => {
      if (last === 'lost') hadDefault = false
    },
  }
}

const routesOf = ({ some, others, plugged }: WaysOut, hadDefault: boolean): Routes => {
  if (!some) return 'none'
  if (hadDefault && !others) return 'lost'
  return plugged ? 'there' : 'unplugged'
}
