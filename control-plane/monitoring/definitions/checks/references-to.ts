/** Which checks and check groups refer to a thing that is about to be deleted: it says so in their `doc`. */

import type { HasUsers, Reference } from '../../../access/snippets/require-unused.ts'
import { containing } from '../../../platform/store/database/engines.ts'
import { query } from '../../../platform/store/database/query.ts'
import type { StoredText } from '../../../platform/store/database/stored-doc.ts'
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

type ReferenceMatch = {
  /** A piece of the doc's JSON that every user contains: it keeps the search in the store. */
  mention: string
  isUser(doc: Record<string, unknown>): boolean
}

const mentionOf = (reference: Reference): ReferenceMatch => {
  if ('snippetId' in reference) {
    const { snippetId } = reference
    return {
      mention: `SnippetId":${snippetId}`,
      isUser: ({ setupSnippetId, tearDownSnippetId }) =>
        setupSnippetId === snippetId || tearDownSnippetId === snippetId,
    }
  }
  if ('privateLocation' in reference) {
    const slug = reference.privateLocation
    return {
      mention: JSON.stringify(slug),
      isUser: ({ privateLocations }) => Array.isArray(privateLocations) && privateLocations.includes(slug),
    }
  }
  const { serviceId } = reference
  return {
    mention: `"serviceId":"${serviceId}"`,
    isUser: ({ triggerIncident }) =>
      typeof triggerIncident === 'object' &&
      triggerIncident !== null &&
      'serviceId' in triggerIncident &&
      triggerIncident.serviceId === serviceId,
  }
}

/** The checks and check groups that refer to a thing. */
export const usersOf: HasUsers['lookups']['usersOf'] = async (db, accountId, reference) => {
  const { mention, isUser } = mentionOf(reference)
  const search = { accountId, pattern: containing(mention) }
  const uses =
    (codec: StoredText<object>) =>
    ({ doc }: { doc: string }) =>
      isUser(codec.read(doc) as Record<string, unknown>)
  return {
    checkIds: (await db.all(checksMentioning, search)).filter(uses(checkDoc)).map(({ id }) => id),
    groupIds: (await db.all(groupsMentioning, search)).filter(uses(groupDoc)).map(({ id }) => id),
  }
}
