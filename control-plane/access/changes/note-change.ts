/**
 * What of an account was changed, and when: of each check, or of all of them (variables, snippets, certificates, maintenance, locations).
 * Agents that keep standing orders are brought what is newer than what they have. A row for each check that was ever written,
 * which outlives the check for as long as an agent may have to be told that it is gone.
 */
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'

type Change = { accountId: string; checkId: string; now: number }

/** Later with every change, whatever the clock says. */
const noteChangeOf = query('note-change', (k, p: Change) =>
  k
    .insertInto('configuration_changes')
    .values({ account_id: p.accountId, check_id: p.checkId, changed_at: p.now, writes: 0 })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'check_id']).doUpdateSet((set) => ({
        changed_at: set
          .case()
          .when('configuration_changes.changed_at', '<', p.now)
          .then(set.ref('excluded.changed_at'))
          .else(set('configuration_changes.changed_at', '+', 1))
          .end(),
        writes: set('configuration_changes.writes', '+', 1),
      })),
    )
    .returning('writes'),
)

/** Returns how often the check was written before. Belongs in the transaction that writes it. */
export const noteCheckChange = async (trx: Db, change: Change): Promise<number> => {
  const row = await trx.get(noteChangeOf, change)
  if (row === undefined) throw new Error(`The change of check ${change.checkId} was not noted`)
  return row.writes
}
