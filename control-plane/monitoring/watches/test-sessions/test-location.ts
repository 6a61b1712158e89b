/** Where a test runs: one location for all of its checks, or the first one of each. */
import { type Static, Type } from 'typebox'
import { publicLocations } from '../../../../protocol/location.ts'
import type { App } from '../../../platform/app/app.ts'
import { invalid, violation } from '../../../platform/words/errors.ts'
import { agentGoneMs } from '../../locations/agents/agent-presence.ts'
import { agentsOfLocations } from '../../locations/agents/queries.ts'
import { sharePrivateLocations } from '../../locations/queries.ts'
import type { RunLocation } from '../../schedule/plan-slots.ts'

const name = Type.String({ minLength: 1, maxLength: 200 })

/** By its name, or in the form of command-line clients. */
export const TestLocation = Type.Union(
  [
    name,
    Type.Object({ type: Type.Literal('PUBLIC'), region: name }),
    Type.Object({ type: Type.Literal('PRIVATE'), slugName: name, id: Type.Optional(Type.String()) }),
  ],
  {
    description:
      'A public location, or the slug of a private one. Left out, or a public location that no agent serves (clients name one when ' +
      'nobody chose): each check runs in its own first location.',
  },
)
export type TestLocation = Static<typeof TestLocation>

const isPublic = (place: string): boolean => (publicLocations as readonly string[]).includes(place)

/** Null: each check's own. @throws ApiError 400 */
export const testLocation = async (
  { db, clock }: App,
  accountId: string,
  wanted: TestLocation | undefined,
): Promise<RunLocation | null> => {
  if (wanted === undefined) return null
  const place =
    typeof wanted === 'string' ? wanted : wanted.type === 'PUBLIC' ? wanted.region : wanted.slugName
  const isPrivate = typeof wanted === 'object' && wanted.type === 'PRIVATE'
  if (!isPrivate && isPublic(place)) {
    const since = clock.now() - agentGoneMs
    const agents = await db.all(agentsOfLocations, { locations: [place], since })
    return agents.length === 0 ? null : { id: place, name: place }
  }
  const [found] = await db.all(sharePrivateLocations, { accountId, slugs: [place] })
  if (found === undefined)
    throw invalid([violation('runLocation', 'exists', `names a location that does not exist: ${place}`)])
  return { id: found.id, name: found.slug }
}
