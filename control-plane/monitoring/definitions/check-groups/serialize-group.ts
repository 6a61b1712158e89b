import { channelsOfSubjects } from '../../../alerting/alert-channels/subscription-queries.ts'
import { subjectText } from '../../../alerting/alert-channels/subscriptions.ts'
import type { App } from '../../../platform/app/app.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import type { CheckGroupsTable } from '../../../platform/store/database/tables/checks.ts'
import type { AccountPrincipal } from '../../../platform/web/http/route.ts'
import { toIso, toIsoOrNull } from '../../../platform/words/shapes/instants.ts'
import { groupContext, shownSettings } from '../checks/sealed-settings.ts'
import { livingDependencies } from '../dependencies/living-dependencies.ts'
import { type CheckGroup, type GroupDoc, groupDoc } from './schema.ts'

/** Stored groups as the API shows them to somebody: with one query more, however many there are. */
export const serializeGroups = async (
  app: App & HasCipher,
  rows: readonly CheckGroupsTable[],
  principal: AccountPrincipal,
): Promise<CheckGroup[]> => {
  const { accountId } = principal
  const subjects = rows.map(({ id }) => subjectText({ groupId: id }))
  const subscriptions = Map.groupBy(
    await app.db.all(channelsOfSubjects, { accountId, subjects }),
    ({ subject }) => subject,
  )
  const docs = rows.map(({ id, doc }) =>
    shownSettings(groupDoc.read(doc), { cipher: app.cipher, context: groupContext(id) }, principal),
  )
  const dependents = docs.map(({ dependsOn }, position) => ({ text: subjects[position] ?? '', dependsOn }))
  const living = await livingDependencies(app.db, dependents)
  return rows.map((row, position) => ({
    ...(docs[position] as GroupDoc),
    dependsOn: living(dependents[position] ?? { text: '', dependsOn: [] }),
    id: row.id,
    alertChannelSubscriptions: (subscriptions.get(subjectText({ groupId: row.id })) ?? []).map(
      ({ channel_id: alertChannelId, activated }) => ({ alertChannelId, activated }),
    ),
    created_at: toIso(row.created_at),
    updated_at: toIsoOrNull(row.updated_at),
  }))
}

export const serializeGroup = async (
  app: App & HasCipher,
  row: CheckGroupsTable,
  principal: AccountPrincipal,
): Promise<CheckGroup> => {
  const [group] = await serializeGroups(app, [row], principal)
  if (group === undefined) throw new Error('A check group was not presented')
  return group
}
