/** People of an account, made in the store itself, each with a key. */
import { newKey, storeKey } from '../../control-plane/access/api-keys/new-key.ts'
import { addMember } from '../../control-plane/access/members/change-members.ts'
import type { Role } from '../../control-plane/platform/words/shapes/roles.ts'
import type { TestApp } from './app.ts'

type Person = { email: string; name?: string | null; role?: Role; accountId?: string; userId?: string }

/** A new user, or with `userId` a known one, as a member (of the test's account unless told otherwise). */
export const addPerson = async (
  { app, accountId: own }: TestApp,
  { email, name = null, role = 'READ_ONLY', accountId = own, userId }: Person,
): Promise<{ userId: string; apiKey: string }> => {
  const now = app.clock.now()
  const id = userId ?? app.newId()
  const key = newKey(app)
  await app.db.transaction(async (trx) => {
    await addMember(trx, { accountId, role, now, userId: id, newUser: userId ? null : { email, name } })
    await storeKey(trx, key, { kind: 'user', accountId, userId: id, role, name: 'test', now })
  })
  return { userId: id, apiKey: key.rawKey }
}
