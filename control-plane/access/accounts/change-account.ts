import type { Static } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { Stamp } from '../../platform/services/clock/stamp.ts'
import type { HasWakeups } from '../../platform/services/clock/wakeups.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { AccountsTable } from '../../platform/store/database/tables/runs.ts'
import { notFound } from '../../platform/words/errors.ts'
import { type AccountDoc, accountDoc } from './account-doc.ts'
import { lockAccount, updateAccount } from './queries.ts'
import type { AccountChanges } from './schema.ts'

/** Of its settings, what others go by. */
type ChangedAccount = { accountId: string; runtimeId: { before: string; after: string } }

/** What follows is in `control-plane/consequences.ts`; the names to wake after the commit. */
export type HasAccountConsequences = {
  consequences: { onAccountChanged(trx: Db, account: ChangedAccount, stamp: Stamp): Promise<string[]> }
}

/** Two changes at once both last: the row is held from reading to writing. @throws ApiError 404 */
export const changeAccount = async (
  app: App & HasAccountConsequences & HasWakeups,
  id: string,
  { name, settings, ...changes }: Static<typeof AccountChanges>,
): Promise<AccountsTable> => {
  const now = app.clock.now()
  const { row, wake } = await app.db.transaction(async (trx) => {
    const before = await trx.get(lockAccount, { id })
    if (!before) throw notFound()
    const stored = accountDoc.read(before.doc)
    const doc = { ...stored, ...changes, settings: { ...stored.settings, ...settings } } as AccountDoc
    const row = { ...before, name: name ?? before.name, doc: accountDoc.write(doc), updated_at: now }
    const showsSecrets = doc.settings.secretsReadable ? 1 : 0
    await trx.run(updateAccount, { id, name: row.name, doc: row.doc, showsSecrets, now })
    const runtimeId = { before: stored.runtimeId, after: doc.runtimeId }
    const changed = { accountId: id, runtimeId }
    const wake = await app.consequences.onAccountChanged(trx, changed, { now, newId: app.newId })
    return { row, wake }
  })
  for (const location of new Set(wake)) app.wakeups.wake(location)
  return row
}
