import type { Violation } from '../../protocol/validate.ts'
import type { Db } from '../database/db.ts'
import { violation } from '../http/errors.ts'
import { privateLocationsBySlug } from '../private-locations/queries.ts'
import type { RunLocation } from '../runs/plan-slots.ts'

type References = {
  locations: string[] | null
  privateLocations: string[] | null
  groupId: number | null
  alertChannelSubscriptions: Array<{ alertChannelId: number }>
}

export type Resolved = { locations: RunLocation[]; violations: Violation[] }

/** What a check refers to must exist in its account. Locations come in the order of the check: public, then private. */
export const resolveReferences = async (
  trx: Db,
  accountId: string,
  refers: References,
): Promise<Resolved> => {
  const slugs = refers.privateLocations ?? []
  const known = new Map<string, string>()
  if (slugs.length > 0)
    for (const { id, slug } of await trx.all(privateLocationsBySlug, {
      accountId,
      slugs: JSON.stringify(slugs),
    }))
      known.set(slug, id)
  const unknownSlugs = slugs.filter((slug) => !known.has(slug))
  return {
    locations: [
      ...(refers.locations ?? []).map((code) => ({ id: code, name: code })),
      ...slugs.map((slug) => ({ id: known.get(slug) ?? slug, name: slug })),
    ],
    violations: [
      ...unknownSlugs.map((slug) =>
        violation('privateLocations', 'exists', `names a private location that does not exist: ${slug}`),
      ),
      ...(refers.groupId === null
        ? []
        : [violation('groupId', 'exists', `names a check group that does not exist: ${refers.groupId}`)]),
      ...refers.alertChannelSubscriptions.map(({ alertChannelId }, position) =>
        violation(
          `alertChannelSubscriptions.${position}.alertChannelId`,
          'exists',
          `names an alert channel that does not exist: ${alertChannelId}`,
        ),
      ),
    ],
  }
}
