import type { Stamp } from '../../platform/doors/clock/stamp.ts'
import type { Db } from '../../platform/store/database/db.ts'

/** Of its settings, what others go by. */
type ChangedAccount = { accountId: string; runtimeId: { before: string; after: string } }

/** What follows is in `control-plane/consequences.ts`; the names to wake after the commit. */
export type HasAccountConsequences = {
  consequences: { onAccountChanged(trx: Db, account: ChangedAccount, stamp: Stamp): Promise<string[]> }
}
