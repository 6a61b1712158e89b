/** Users and memberships. Whoever changes who belongs to an account holds its row (`lockAccount`) while doing so. */
import { query } from '../../platform/store/database/query.ts'

type OneMember = { accountId: string; userId: string }

export const findMember = query('find-member', (k, p: OneMember) =>
  k
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select([
      'memberships.account_id',
      'memberships.user_id',
      'memberships.role',
      'memberships.created_at',
      'memberships.updated_at',
      'users.email',
      'users.name',
    ])
    .where('memberships.account_id', '=', p.accountId)
    .where('memberships.user_id', '=', p.userId),
)

export const ownersOfAccount = query('owners-of-account', (k, p: { accountId: string }) =>
  k
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['memberships.user_id', 'users.email'])
    .where('memberships.account_id', '=', p.accountId)
    .where('memberships.role', '=', 'OWNER')
    .orderBy('memberships.created_at')
    .orderBy('memberships.user_id'),
)

export const insertMembership = query(
  'insert-membership',
  (k, p: OneMember & { role: string; now: number }) =>
    k
      .insertInto('memberships')
      .values({
        account_id: p.accountId,
        user_id: p.userId,
        role: p.role,
        created_at: p.now,
        updated_at: p.now,
      })
      .onConflict((conflict) => conflict.columns(['account_id', 'user_id']).doNothing()),
)

export const updateRole = query('update-role', (k, p: OneMember & { role: string; now: number }) =>
  k
    .updateTable('memberships')
    .set({ role: p.role, updated_at: p.now })
    .where('account_id', '=', p.accountId)
    .where('user_id', '=', p.userId),
)

export const deleteMembership = query('delete-membership', (k, p: OneMember) =>
  k.deleteFrom('memberships').where('account_id', '=', p.accountId).where('user_id', '=', p.userId),
)

/** Held from looking at a user's memberships to acting on them. */
export const lockUser = query('lock-user', (k, p: { id: string }, engine) => {
  const one = k.selectFrom('users').selectAll().where('id', '=', p.id)
  return engine.rowLocks ? one.forUpdate() : one
})

export const findUserByEmail = query('find-user-by-email', (k, p: { email: string }) =>
  k.selectFrom('users').selectAll().where('email', '=', p.email),
)

type NewUser = { id: string; email: string; name: string | null; nameSearch: string; now: number }

/** Does nothing when somebody has the e-mail. */
export const insertUser = query('insert-user', (k, p: NewUser) =>
  k
    .insertInto('users')
    .values({
      id: p.id,
      email: p.email,
      name: p.name,
      name_search: p.nameSearch,
      created_at: p.now,
      updated_at: p.now,
    })
    .onConflict((conflict) => conflict.column('email').doNothing()),
)

export const deleteUser = query('delete-user', (k, p: { id: string }) =>
  k.deleteFrom('users').where('id', '=', p.id),
)

/** `email`: in lower case. No row: nobody of the account has that address. */
export const languageOfMember = query('language-of-member', (k, p: { accountId: string; email: string }) =>
  k
    .selectFrom('users')
    .innerJoin('memberships', 'memberships.user_id', 'users.id')
    .select('users.language')
    .where('users.email', '=', p.email)
    .where('memberships.account_id', '=', p.accountId),
)

/** One row: they have all chosen the same, or none. */
export const languagesOfMembers = query('languages-of-members', (k, p: { accountId: string }) =>
  k
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.language')
    .distinct()
    .where('memberships.account_id', '=', p.accountId)
    .limit(2),
)

/** Addresses of the owners of all accounts. */
export const ownersOfAll = query('owners-of-all', (k, p: { limit: number }) =>
  k
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.email', 'users.language'])
    .where('memberships.role', '=', 'OWNER')
    .groupBy(['users.email', 'users.language'])
    .orderBy('users.email')
    .limit(p.limit),
)
