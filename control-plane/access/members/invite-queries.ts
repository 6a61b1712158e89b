import { query } from '../../platform/store/database/query.ts'
import type { InvitesTable } from '../../platform/store/database/tables/members.ts'

type OneInvite = { id: string; accountId: string }

export const insertInvite = query('insert-invite', (k, p: InvitesTable) =>
  k.insertInto('invites').values({
    id: p.id,
    account_id: p.account_id,
    email: p.email,
    role: p.role,
    inviter_email: p.inviter_email,
    token_hash: p.token_hash,
    created_at: p.created_at,
    updated_at: p.updated_at,
    expires_at: p.expires_at,
  }),
)

export const findInviteByEmail = query('find-invite-by-email', (k, p: { accountId: string; email: string }) =>
  k.selectFrom('invites').selectAll().where('account_id', '=', p.accountId).where('email', '=', p.email),
)

export const findInviteByToken = query('find-invite-by-token', (k, p: { hash: string }) =>
  k.selectFrom('invites').selectAll().where('token_hash', '=', p.hash),
)

type Renewal = OneInvite & { tokenHash: string; expiresAt: number; now: number }

export const renewInvite = query('renew-invite', (k, p: Renewal) =>
  k
    .updateTable('invites')
    .set({ token_hash: p.tokenHash, expires_at: p.expiresAt, updated_at: p.now })
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId)
    .returningAll(),
)

export const deleteInvite = query('delete-invite', (k, p: OneInvite) =>
  k.deleteFrom('invites').where('id', '=', p.id).where('account_id', '=', p.accountId),
)

/** Of those who take an invite at once, one. */
export const takeInvite = query('take-invite', (k, p: { id: string; hash: string }) =>
  k.deleteFrom('invites').where('id', '=', p.id).where('token_hash', '=', p.hash),
)
