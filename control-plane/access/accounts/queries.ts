import { query } from '../../platform/store/database/query.ts'

export const findAccount = query('find-account', (k, p: { id: string }) =>
  k.selectFrom('accounts').selectAll().where('id', '=', p.id),
)

export const accountsById = query('accounts-by-id', (k, p: { ids: readonly string[] }, engine) =>
  k.selectFrom('accounts').select(['id', 'doc']).where('id', 'in', engine.textList(p.ids)),
)

export const firstAccount = query('first-account', (k, _: Record<string, never>) =>
  k.selectFrom('accounts').select('id').orderBy('created_at').orderBy('id').limit(1),
)

type NewAccount = { id: string; name: string; now: number; doc: string }

export const insertAccount = query('insert-account', (k, p: NewAccount) =>
  k
    .insertInto('accounts')
    .values({ id: p.id, name: p.name, created_at: p.now, updated_at: null, doc: p.doc })
    .onConflict((conflict) => conflict.column('id').doNothing()),
)

/** For a change that builds on what is there, and for changes to who belongs to the account: one at a time. */
export const lockAccount = query('lock-account', (k, p: { id: string }, engine) => {
  const one = k.selectFrom('accounts').selectAll().where('id', '=', p.id)
  return engine.rowLocks ? one.forUpdate() : one
})

/** For whoever writes something that follows from the account's settings: they stay until the transaction ends. */
export const shareAccount = query('share-account', (k, p: { id: string }, engine) => {
  const one = k.selectFrom('accounts').selectAll().where('id', '=', p.id)
  return engine.rowLocks ? one.forShare() : one
})

type AccountChange = { id: string; name: string; doc: string; showsSecrets: number; now: number }

export const updateAccount = query('update-account', (k, p: AccountChange) =>
  k
    .updateTable('accounts')
    .set({ name: p.name, doc: p.doc, shows_secrets: p.showsSecrets, updated_at: p.now })
    .where('id', '=', p.id),
)

export const accountsOfUser = query('accounts-of-user', (k, p: { userId: string }) =>
  k
    .selectFrom('accounts')
    .innerJoin('memberships', 'memberships.account_id', 'accounts.id')
    .selectAll('accounts')
    .where('memberships.user_id', '=', p.userId)
    .orderBy('accounts.created_at')
    .orderBy('accounts.id'),
)
