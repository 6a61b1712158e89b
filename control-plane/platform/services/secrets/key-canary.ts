/**
 * One sealed value that every store has from its first start on: it tells whether the encryption key is that of the store also where
 * nothing else was ever sealed.
 */
import type { Db } from '../../store/database/db.ts'
import { query } from '../../store/database/query.ts'
import type { Cipher } from './cipher.ts'

export const contextOfCanary = 'key-canary'

const insertCanary = query('insert-key-canary', (k, p: { sealed: string }) =>
  k
    .insertInto('key_canaries')
    .values({ id: 1, sealed: p.sealed })
    .onConflict((conflict) => conflict.column('id').doNothing()),
)

export const deleteCanary = query('delete-key-canary', (k, _: Record<string, never>) =>
  k.deleteFrom('key_canaries'),
)

/** Of several control planes that start at once the first one's stays. */
export const plantCanary = async (db: Db, cipher: Cipher): Promise<void> => {
  await db.run(insertCanary, { sealed: cipher.encrypt('canary', contextOfCanary) })
}
