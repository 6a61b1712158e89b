/**
 * What of an account was changed, and when: of each check, or of all of them (variables, snippets, certificates, maintenance, locations).
 * Agents that keep standing orders are brought what is newer than what they have. A row for each check that was ever written,
 * which outlives the check for as long as an agent may have to be told that it is gone.
 */
import type { InsertQueryBuilder, InsertResult } from 'kysely'
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'
import type { Tables } from '../../platform/store/database/tables.ts'

/** Stands for all checks of an account. */
export const allChecks = ''

type Change = { accountId: string; checkId: string; now: number }

const columns = ['account_id', 'check_id', 'changed_at', 'writes'] as const

/** Later with every change, whatever the clock says. */
const later = (insert: InsertQueryBuilder<Tables, 'configuration_changes', InsertResult>) =>
  insert.onConflict((conflict) =>
    conflict.columns(['account_id', 'check_id']).doUpdateSet((set) => ({
      changed_at: set
        .case()
        .when('configuration_changes.changed_at', '<', set.ref('excluded.changed_at'))
        .then(set.ref('excluded.changed_at'))
        .else(set('configuration_changes.changed_at', '+', 1))
        .end(),
      writes: set('configuration_changes.writes', '+', 1),
    })),
  )

const noteChangeOf = query('note-change', (k, p: Change) =>
  later(
    k
      .insertInto('configuration_changes')
      .values({ account_id: p.accountId, check_id: p.checkId, changed_at: p.now, writes: 0 }),
  ).returning('writes'),
)

type GroupChange = { accountId: string; groupId: number; now: number }

const noteChangesOfGroup = query('note-changes-of-group', (k, p: GroupChange) => {
  const checks = k
    .selectFrom('checks')
    .select((of) => [
      'account_id',
      'id',
      of.cast<number>(of.val(p.now), 'bigint').as('at'),
      of.lit(0).as('none'),
    ])
    .where('account_id', '=', p.accountId)
    .where('group_id', '=', p.groupId)
    .orderBy('id')
  return later(k.insertInto('configuration_changes').columns(columns).expression(checks))
})

/** Returns how often the check was written before. Belongs in the transaction that writes it. */
export const noteCheckChange = async (trx: Db, change: Change): Promise<number> => {
  const row = await trx.get(noteChangeOf, change)
  if (row === undefined) throw new Error(`The change of check ${change.checkId} was not noted`)
  return row.writes
}

const noteRemovalOf = query('note-removal', (k, p: Change) =>
  k
    .updateTable('configuration_changes')
    .set((set) => ({
      changed_at: set
        .case()
        .when('changed_at', '<', p.now)
        .then(p.now)
        .else(set('changed_at', '+', 1))
        .end(),
      writes: -1,
    }))
    .where('account_id', '=', p.accountId)
    .where('check_id', '=', p.checkId),
)

/** A check is gone. */
export const noteCheckRemoval = async (trx: Db, change: Change): Promise<void> => {
  await trx.run(noteRemovalOf, change)
}

/** Of all checks of a group. */
export const noteGroupChange = async (trx: Db, change: GroupChange): Promise<void> => {
  await trx.run(noteChangesOfGroup, change)
}

/** Of what may concern any check of the account. Last in a transaction: many wait for its row. */
export const noteAccountChange = async (trx: Db, change: Omit<Change, 'checkId'>): Promise<void> => {
  await trx.run(noteChangeOf, { ...change, checkId: allChecks })
}
