/**
 * Whether the encryption keys of this installation open what its store holds. Found out before anything else happens: under
 * another key new secrets would be sealed, old ones fail one by one, and jobs with them. A store without a secret has its
 * canary from its first start on; one of an older version gets it once its secrets were opened.
 */
import { canaryColumn, type EncryptedColumn, encryptedColumns } from './admin/encrypted-columns.ts'
import { sealedIn } from './admin/reseal.ts'
import { plantCanary } from './platform/services/secrets/key-canary.ts'
import { readColumn } from './platform/store/database/sealed-columns.ts'
import { UnusableStoreError } from './platform/store/database/unusable-store-error.ts'
import type { WholeApp } from './whole-app.ts'

/** Rows of a column that are looked at: one key seals all of them, or all but those before a rotation. */
const sample = 5

type Keyed = Pick<WholeApp, 'db' | 'cipher' | 'config'>

/** @throws UnusableStoreError when a secret cannot be opened */
export const requireKeys = async (keyed: Keyed): Promise<void> => {
  for (const column of encryptedColumns) await requireKeyOf(keyed, column)
  await plantCanary(keyed.db, keyed.cipher)
  // Another control plane may have been first, with another key.
  await requireKeyOf(keyed, canaryColumn)
}

const requireKeyOf = async ({ db, cipher, config }: Keyed, column: EncryptedColumn): Promise<void> => {
  for (const row of await readColumn(db, column, { after: null, limit: sample }))
    for (const sealed of sealedIn(column, row)) {
      try {
        cipher.decrypt(sealed, column.context(row.key))
      } catch (error) {
        const keys = config.encryptionKeys === null ? `${config.dataDir}/encryption-key` : 'ENCRYPTION_KEY'
        throw new UnusableStoreError(
          `${keys} does not fit the store of DATABASE_URL: secrets in its table ${column.table} were sealed with another key. Put that key back (it is in every backup), beside the present one if need be; nothing was changed.`,
          error,
        )
      }
    }
}
