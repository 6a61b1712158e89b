/** Which checks and check groups use a thing that is about to be deleted. What they refer to is in their `doc`. */
import type { Db } from '../../platform/database/db.ts'
import { query } from '../../platform/database/query.ts'
import type { StoredText } from '../../platform/database/stored-doc.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { groupDoc } from '../check-groups/schema.ts'
import { checkDoc } from './check-doc.ts'

type Mention = { accountId: string; pattern: string }

const checksMentioning = query('checks-mentioning', (k, p: Mention, engine) =>
  k
    .selectFrom('checks')
    .select(['id', 'doc'])
    .where('account_id', '=', p.accountId)
    .where((at) => engine.containsText(at.ref('doc'), p.pattern))
    .orderBy('created_at')
    .orderBy('id'),
)

const groupsMentioning = query('groups-mentioning', (k, p: Mention, engine) =>
  k
    .selectFrom('check_groups')
    .select(['id', 'doc'])
    .where('account_id', '=', p.accountId)
    .where((at) => engine.containsText(at.ref('doc'), p.pattern))
    .orderBy('id'),
)

export type Use = {
  /** A piece of the doc's JSON that every user contains: it keeps the search in the store. */
  mention: string
  isUse(doc: Record<string, unknown>): boolean
}

export const useOfPrivateLocation = (slug: string): Use => ({
  mention: JSON.stringify(slug),
  isUse: ({ privateLocations }) => Array.isArray(privateLocations) && privateLocations.includes(slug),
})

export const useOfSnippet = (id: number): Use => ({
  mention: `SnippetId":${id}`,
  isUse: ({ setupSnippetId, tearDownSnippetId }) => setupSnippetId === id || tearDownSnippetId === id,
})

/** A check that opens its incidents on the service. */
export const useOfService = (id: string): Use => ({
  mention: `"serviceId":"${id}"`,
  isUse: ({ triggerIncident }) =>
    typeof triggerIncident === 'object' &&
    triggerIncident !== null &&
    'serviceId' in triggerIncident &&
    triggerIncident.serviceId === id,
})

/** @throws ApiError 409 that names the users in `attributes` */
export const requireUnused = async (trx: Db, accountId: string, use: Use): Promise<void> => {
  const mention = { accountId, pattern: `%${use.mention.replace(/[\\%_]/g, '\\$&')}%` }
  const isUse =
    (codec: StoredText<object>) =>
    ({ doc }: { doc: string }) =>
      use.isUse(codec.read(doc) as Record<string, unknown>)
  const checkIds = (await trx.all(checksMentioning, mention)).filter(isUse(checkDoc)).map(({ id }) => id)
  const groupIds = (await trx.all(groupsMentioning, mention)).filter(isUse(groupDoc)).map(({ id }) => id)
  if (checkIds.length + groupIds.length > 0)
    throw new ApiError(409, 'It is in use: take it out of its checks and check groups first', {
      attributes: { checkIds, groupIds },
    })
}
