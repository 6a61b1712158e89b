import { boundedCache } from '../../../protocol/bounded-memo.ts'
import type { CheckType } from '../../../protocol/check-type.ts'
import { perApp } from '../../platform/app/per-app.ts'
import { query } from '../../platform/store/database/query.ts'

const typesInLocation = query('types-in-location', (k, p: { location: string }) =>
  k
    .selectFrom('schedule_locations as l')
    .innerJoin('schedules as s', 's.check_id', 'l.check_id')
    .select('s.check_type')
    .distinct()
    .where('l.location_id', '=', p.location),
)

/** An agent that cannot run what it should asks with each of its claims. */
const knownForMs = 30_000

/** Which of these types active checks of a location have, as it was half a minute ago at most. */
export const neededTypes = perApp(({ db, clock }) => {
  const known = boundedCache<string, { at: number; types: ReadonlySet<string> }>(1000)
  return async (location: string, lacks: readonly CheckType[]): Promise<CheckType[]> => {
    let here = known.get(location)
    if (here === undefined || clock.now() - here.at > knownForMs) {
      const rows = await db.all(typesInLocation, { location })
      here = { at: clock.now(), types: new Set(rows.map(({ check_type }) => check_type)) }
      known.set(location, here)
    }
    const { types } = here
    return lacks.filter((type) => types.has(type))
  }
})
