/** How people sign in without a key. */
import { query } from '../../platform/store/database/query.ts'
import type { SignInLinksTable, UserPasskeysTable } from '../../platform/store/database/tables/sign-in.ts'

type OfUser = { userId: string }

export const findUser = query('find-user', (k, p: OfUser) =>
  k.selectFrom('users').selectAll().where('id', '=', p.userId),
)

/** Stores the e-mail of a user who had none. */
export const updateUserAddress = query(
  'update-user-address',
  (k, p: OfUser & { email: string; name: string | null; nameSearch: string; now: number }) =>
    k
      .updateTable('users')
      .set({ email: p.email, name: p.name, name_search: p.nameSearch, updated_at: p.now })
      .where('id', '=', p.userId),
)

export const setLanguage = query('set-language-of-user', (k, p: OfUser & { language: string | null }) =>
  k.updateTable('users').set({ language: p.language }).where('id', '=', p.userId),
)

export const accountsOfUser = query('accounts-of-user', (k, p: OfUser) =>
  k
    .selectFrom('memberships')
    .innerJoin('accounts', 'accounts.id', 'memberships.account_id')
    .select(['memberships.account_id', 'memberships.role', 'accounts.name'])
    .where('memberships.user_id', '=', p.userId)
    .orderBy('memberships.created_at')
    .orderBy('memberships.account_id'),
)

export const findPassword = query('find-password', (k, p: OfUser) =>
  k.selectFrom('user_passwords').selectAll().where('user_id', '=', p.userId),
)

export const putPassword = query('put-password', (k, p: OfUser & { hash: string; now: number }) =>
  k
    .insertInto('user_passwords')
    .values({ user_id: p.userId, hash: p.hash, updated_at: p.now })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ hash: p.hash, updated_at: p.now })),
)

export const deletePassword = query('delete-password', (k, p: OfUser) =>
  k.deleteFrom('user_passwords').where('user_id', '=', p.userId),
)

export const findTotp = query('find-totp', (k, p: OfUser) =>
  k.selectFrom('user_totp').selectAll().where('user_id', '=', p.userId),
)

/** One that is on stays as it is. */
export const putTotp = query('put-totp', (k, p: OfUser & { sealedSecret: string }) =>
  k
    .insertInto('user_totp')
    .values({ user_id: p.userId, sealed_secret: p.sealedSecret, confirmed_at: null, used_step: 0 })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet({ sealed_secret: p.sealedSecret, used_step: 0 })
        .where('user_totp.confirmed_at', 'is', null),
    ),
)

/** Of two who use one code at once, one. */
export const useTotpStep = query('use-totp-step', (k, p: OfUser & { step: number }) =>
  k
    .updateTable('user_totp')
    .set({ used_step: p.step })
    .where('user_id', '=', p.userId)
    .where('used_step', '<', p.step),
)

export const confirmTotp = query('confirm-totp', (k, p: OfUser & { now: number }) =>
  k.updateTable('user_totp').set({ confirmed_at: p.now }).where('user_id', '=', p.userId),
)

export const deleteTotp = query('delete-totp', (k, p: OfUser) =>
  k.deleteFrom('user_totp').where('user_id', '=', p.userId),
)

export const insertRecoveryCode = query('insert-recovery-code', (k, p: OfUser & { hash: string }) =>
  k.insertInto('user_recovery_codes').values({ user_id: p.userId, hash: p.hash }),
)

/** Good once. */
export const takeRecoveryCode = query('take-recovery-code', (k, p: OfUser & { hash: string }) =>
  k.deleteFrom('user_recovery_codes').where('user_id', '=', p.userId).where('hash', '=', p.hash),
)

export const deleteRecoveryCodes = query('delete-recovery-codes', (k, p: OfUser) =>
  k.deleteFrom('user_recovery_codes').where('user_id', '=', p.userId),
)

export const insertPasskey = query('insert-passkey', (k, p: UserPasskeysTable) =>
  k
    .insertInto('user_passkeys')
    .values({
      id: p.id,
      user_id: p.user_id,
      public_key: p.public_key,
      counter: p.counter,
      name: p.name,
      created_at: p.created_at,
      used_at: p.used_at,
    })
    .onConflict((conflict) => conflict.column('id').doNothing()),
)

export const findPasskey = query('find-passkey', (k, p: { id: string }) =>
  k.selectFrom('user_passkeys').selectAll().where('id', '=', p.id),
)

export const passkeysOfUser = query('passkeys-of-user', (k, p: OfUser) =>
  k.selectFrom('user_passkeys').selectAll().where('user_id', '=', p.userId).orderBy('created_at'),
)

export const recordPasskeyUse = query(
  'record-passkey-use',
  (k, p: { id: string; counter: number; now: number }) =>
    k.updateTable('user_passkeys').set({ counter: p.counter, used_at: p.now }).where('id', '=', p.id),
)

export const deletePasskey = query('delete-passkey', (k, p: OfUser & { id: string }) =>
  k.deleteFrom('user_passkeys').where('id', '=', p.id).where('user_id', '=', p.userId),
)

export const deletePasskeysOfUser = query('delete-passkeys-of-user', (k, p: OfUser) =>
  k.deleteFrom('user_passkeys').where('user_id', '=', p.userId),
)

type Identity = { issuer: string; subject: string }

export const findIdentity = query('find-identity', (k, p: Identity) =>
  k.selectFrom('user_identities').selectAll().where('issuer', '=', p.issuer).where('subject', '=', p.subject),
)

export const insertIdentity = query('insert-identity', (k, p: Identity & OfUser & { now: number }) =>
  k
    .insertInto('user_identities')
    .values({ issuer: p.issuer, subject: p.subject, user_id: p.userId, created_at: p.now })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing()),
)

export const deleteIdentitiesOfUser = query('delete-identities-of-user', (k, p: OfUser) =>
  k.deleteFrom('user_identities').where('user_id', '=', p.userId),
)

export const insertLink = query('insert-sign-in-link', (k, p: SignInLinksTable) =>
  k.insertInto('sign_in_links').values({
    hash: p.hash,
    user_id: p.user_id,
    purpose: p.purpose,
    created_at: p.created_at,
    expires_at: p.expires_at,
  }),
)

export const findLink = query('find-sign-in-link', (k, p: { hash: string }) =>
  k.selectFrom('sign_in_links').selectAll().where('hash', '=', p.hash),
)

/** The link, and all others of its user: of those who use any of them at once, one. */
export const takeLinks = query('take-sign-in-links', (k, p: { hash: string }) =>
  k
    .deleteFrom('sign_in_links')
    .where('user_id', 'in', (at) =>
      at.selectFrom('sign_in_links as used').select('used.user_id').where('used.hash', '=', p.hash),
    ),
)

export const countLinks = query('count-sign-in-links', (k, p: OfUser & { purpose: string; now: number }) =>
  k
    .selectFrom('sign_in_links')
    .select((at) => at.fn.countAll<number>().as('total'))
    .where('user_id', '=', p.userId)
    .where('purpose', '=', p.purpose)
    .where('expires_at', '>', p.now),
)

export const deleteLinksOfUser = query('delete-sign-in-links-of-user', (k, p: OfUser) =>
  k.deleteFrom('sign_in_links').where('user_id', '=', p.userId),
)

export const deleteSessionsOfUser = query('delete-sessions-of-user', (k, p: OfUser & { except: string }) =>
  k.deleteFrom('user_sessions').where('user_id', '=', p.userId).where('id', '!=', p.except),
)
