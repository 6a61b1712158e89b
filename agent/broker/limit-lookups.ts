import type { Lookup } from '../net/connect/lookup.ts'
import type { Places } from '../sandbox/places.ts'

/**
 * Lookups of the machine hold a thread each until they end, which nobody can hasten, and checks need those threads, too. So few of
 * them go on at once for a run, and for all runs; the others wait in line, and those of a run that has ended are not begun.
 */
export const limitLookups =
  (lookup: Lookup, places: readonly Places[], ended: AbortSignal): Lookup =>
  async (host, family) => {
    const entered: Places[] = []
    try {
      for (const place of places) {
        if (!(await place.enter(ended)))
          throw Object.assign(new Error('the run is over'), { code: 'ECANCELED' })
        entered.push(place)
      }
      return await lookup(host, family)
    } finally {
      for (const place of entered) place.leave()
    }
  }
