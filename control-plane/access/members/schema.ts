/** Members and invites. */
import { type Static, Type } from 'typebox'
import { toIso } from '../../platform/words/shapes/instants.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { roles } from '../../platform/words/shapes/roles.ts'
import { CreatedUserKey, GivenRole } from '../api-keys/schema.ts'

const closed = { additionalProperties: false }
const Uuid = Type.String({ format: 'uuid' })
const Instant = Type.String({ format: 'date-time' })
const Email = Type.String({ format: 'email', maxLength: 254, description: 'Kept in lower case' })
const PersonName = Type.String({ minLength: 1, maxLength: 255 })

export const Member = Type.Object(
  {
    type: Type.Literal('member'),
    accountId: Uuid,
    userId: Uuid,
    name: nullable(Type.String()),
    email: Type.String(),
    role: Type.Enum([...roles]),
    status: Type.Literal('ACTIVE'),
    createdAt: Instant,
    updatedAt: Instant,
    isSupportMembership: Type.Boolean({
      description: 'Always false: nobody from outside supports this installation',
    }),
    ssoEnabled: Type.Boolean({ description: 'Always false: people come in with API keys' }),
    mfaEnabled: Type.Boolean({ description: 'Always false: people come in with API keys' }),
  },
  { title: 'Member' },
)

const inviteFields = {
  type: Type.Literal('invite'),
  id: Uuid,
  accountId: Uuid,
  email: Type.String(),
  role: GivenRole,
  status: Type.Enum(['PENDING', 'EXPIRED']),
  inviterEmail: Type.String(),
  createdAt: Instant,
  updatedAt: Instant,
  expiresAt: Instant,
}
const Invite = Type.Object(inviteFields, { title: 'Invite' })

export const CreatedInvite = Type.Object(
  {
    ...inviteFields,
    token: Type.String({ description: 'What the invited person accepts with: shown only in this answer' }),
  },
  { title: 'CreatedInvite' },
)

export const MemberPage = Type.Object(
  {
    members: Type.Array(Type.Union([Member, Invite])),
    length: Type.Integer({ minimum: 0, description: 'Items in this page' }),
    nextId: nullable(Type.String(), { description: 'null: there are no more' }),
  },
  { title: 'MemberPage' },
)

export const MemberQuery = Type.Object(
  {
    search: Type.Optional(
      Type.String({
        maxLength: 255,
        description: 'Part of a member name, member e-mail or invite e-mail, in any case; empty: ignored',
      }),
    ),
    type: Type.Optional(Type.Enum(['member', 'invite'])),
    role: Type.Optional(Type.Enum([...roles])),
    status: Type.Optional(Type.Enum(['ACTIVE', 'PENDING', 'EXPIRED'])),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Left out: all' })),
    nextId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: 'Only with `limit` and the query that gave it',
      }),
    ),
  },
  { ...closed },
)
export type MemberQuery = Static<typeof MemberQuery>

export const RoleChange = Type.Object({ role: GivenRole }, { ...closed, title: 'RoleChange' })

export const OwnershipTransfer = Type.Object(
  {
    userId: Uuid,
    stayOwner: Type.Boolean({
      default: false,
      description: 'true: both are owners; false: the caller becomes an admin',
    }),
  },
  { ...closed, title: 'OwnershipTransfer' },
)

export const NewInvite = Type.Object({ email: Email, role: GivenRole }, { ...closed, title: 'NewInvite' })

const Token = Type.String({ minLength: 1, maxLength: 200 })
export const InviteAcceptance = Type.Object(
  { token: Token, name: Type.Optional(nullable(PersonName)) },
  { ...closed, title: 'InviteAcceptance' },
)
export const InviteJoin = Type.Object({ token: Token }, { ...closed, title: 'InviteJoin' })
export const AcceptedInvite = Type.Object(
  { member: Member, apiKey: CreatedUserKey },
  { title: 'AcceptedInvite' },
)

export type MemberRow = {
  account_id: string
  user_id: string
  role: string
  email: string
  name: string | null
  created_at: number
  updated_at: number
}

export const serializeMember = (row: MemberRow): Static<typeof Member> => ({
  type: 'member',
  accountId: row.account_id,
  userId: row.user_id,
  name: row.name,
  email: row.email,
  role: row.role as Static<typeof Member>['role'],
  status: 'ACTIVE',
  createdAt: toIso(row.created_at),
  updatedAt: toIso(row.updated_at),
  isSupportMembership: false,
  ssoEnabled: false,
  mfaEnabled: false,
})

export type InviteRow = {
  id: string
  account_id: string
  email: string
  role: string
  inviter_email: string
  created_at: number
  updated_at: number
  expires_at: number
}

export const serializeInvite = (row: InviteRow, now: number): Static<typeof Invite> => ({
  type: 'invite',
  id: row.id,
  accountId: row.account_id,
  email: row.email,
  role: row.role as Static<typeof GivenRole>,
  status: row.expires_at > now ? 'PENDING' : 'EXPIRED',
  inviterEmail: row.inviter_email,
  createdAt: toIso(row.created_at),
  updatedAt: toIso(row.updated_at),
  expiresAt: toIso(row.expires_at),
})
