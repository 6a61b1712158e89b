import { boundedCache } from '../../../protocol/bounded-memo.ts'
import { perApp } from '../../platform/app/per-app.ts'
import { query } from '../../platform/store/database/query.ts'

const slugOfLocation = query('slug-of-location', (k, p: { id: string }) =>
  k.selectFrom('private_locations').select('slug').where('id', '=', p.id),
)

/** What people call a location: the slug of a private one, which never changes, or the code of a public one. */
export const locationName = perApp(({ db }) => {
  const known = boundedCache<string, string>(1000)
  return async (location: string): Promise<string> => {
    const before = known.get(location)
    if (before !== undefined) return before
    const name = (await db.get(slugOfLocation, { id: location }))?.slug ?? location
    known.set(location, name)
    return name
  }
})
