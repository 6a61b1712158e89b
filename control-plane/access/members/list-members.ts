/**
 * Members, then invites, each oldest first, as one list: one statement, so that an invite that is accepted meanwhile is
 * seen once. A cursor carries a fingerprint of the query it belongs to.
 */
import { createHash } from 'node:crypto'
import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import { Type } from 'typebox'
import type { Db } from '../../platform/store/database/db.ts'
import { containing, type Engine } from '../../platform/store/database/engines.ts'
import type { Tables } from '../../platform/store/database/tables.ts'
import { invalid, violation } from '../../platform/words/errors.ts'
import { cursorOf } from '../../platform/words/shapes/cursor.ts'
import { type MemberQuery, serializeInvite, serializeMember } from './schema.ts'

const kinds = { member: 0, invite: 1 } as const

const cursor = cursorOf(
  Type.Tuple([
    Type.String({ maxLength: 16 }),
    Type.Integer({ minimum: 0, maximum: 1 }),
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    Type.String({ maxLength: 64 }),
  ]),
)

type MemberCursor = { kind: number; at: number; id: string }
type Filter = { accountId: string; now: number } & Omit<MemberQuery, 'limit' | 'nextId'>

/** @throws ApiError 400 for a cursor without a limit or of another query */
export const listMembers = async (
  db: Db,
  { limit, nextId, ...given }: MemberQuery & { accountId: string; now: number },
) => {
  const { search, ...others } = given
  const filter: Filter = search?.trim() ? { ...others, search } : others
  const after = nextId === undefined ? null : positionOf(nextId, { limit, filter })
  const rows = await selectItems(db, filter, { after, max: limit === undefined ? null : limit + 1 })
  const shown = limit === undefined ? rows : rows.slice(0, limit)
  const last = rows.length > shown.length ? shown.at(-1) : undefined
  return {
    members: shown.map((row) => present(row, filter)),
    length: shown.length,
    nextId: last ? cursor.encode([fingerprint(filter), last.kind, last.created_at, last.id]) : null,
  }
}

const positionOf = (
  text: string,
  { limit, filter }: { limit: number | undefined; filter: Filter },
): MemberCursor => {
  if (limit === undefined)
    throw invalid([violation('nextId', 'dependency', 'is accepted only together with "limit"')])
  const [mark, kind, at, id] = cursor.decode(text)
  if (mark !== fingerprint(filter))
    throw invalid([violation('nextId', 'cursor', 'belongs to a list with other query parameters')])
  return { kind, at, id }
}

const fingerprint = ({ accountId, search, type, role, status }: Filter): string =>
  createHash('sha256')
    .update(JSON.stringify([accountId, search ?? null, type ?? null, role ?? null, status ?? null]))
    .digest('base64url')
    .slice(0, 16)

type Item = {
  kind: number
  id: string
  email: string
  name: string | null
  role: string
  inviter_email: string | null
  created_at: number
  updated_at: number
  expires_at: number | null
}

const present = (row: Item, { accountId, now }: Filter) =>
  row.kind === kinds.member
    ? serializeMember({ ...row, account_id: accountId, user_id: row.id })
    : serializeInvite(
        {
          ...row,
          account_id: accountId,
          inviter_email: row.inviter_email ?? '',
          expires_at: row.expires_at ?? 0,
        },
        now,
      )

type Window = { after: MemberCursor | null; max: number | null }

const selectItems = (db: Db, filter: Filter, { after, max }: Window): Promise<Item[]> =>
  db.select((k, engine) => {
    const both = selectMembers(k, engine, { filter, after })
      .unionAll(selectInvites(k, engine, { filter, after }))
      .orderBy('kind')
      .orderBy('created_at')
      .orderBy('id')
    return max === null ? both : both.limit(max)
  })

type Selection = { filter: Filter; after: MemberCursor | null }

const patternOf = (search: string): string => containing(search.toLowerCase())

const selectMembers = (k: Kysely<Tables>, engine: Engine, { filter, after }: Selection) => {
  const { accountId, search, type, role, status } = filter
  let members = k
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select([
      sql<number>`${sql.lit(kinds.member)}`.as('kind'),
      'm.user_id as id',
      'u.email as email',
      'u.name as name',
      'm.role as role',
      sql<string | null>`cast(null as text)`.as('inviter_email'),
      'm.created_at as created_at',
      'm.updated_at as updated_at',
      sql<number | null>`cast(null as bigint)`.as('expires_at'),
    ])
    .where('m.account_id', '=', accountId)
  const asksForInvites = type === 'invite' || (status !== undefined && status !== 'ACTIVE')
  // Members come first: behind an invite there are none.
  if (asksForInvites || after?.kind === kinds.invite) return members.where(never)
  if (role !== undefined) members = members.where('m.role', '=', role)
  if (search !== undefined) {
    const pattern = patternOf(search)
    members = members.where((at) =>
      at.or([
        engine.containsText(at.ref('u.name_search'), pattern),
        engine.containsText(at.ref('u.email'), pattern),
      ]),
    )
  }
  if (after === null) return members
  return members.where((at) =>
    at.or([
      at('m.created_at', '>', after.at),
      at.and([at('m.created_at', '=', after.at), at('m.user_id', '>', after.id)]),
    ]),
  )
}

const selectInvites = (k: Kysely<Tables>, engine: Engine, { filter, after }: Selection) => {
  const { accountId, now, search, type, role, status } = filter
  let invites = k
    .selectFrom('invites as i')
    .select([
      sql<number>`${sql.lit(kinds.invite)}`.as('kind'),
      'i.id as id',
      'i.email as email',
      sql<string | null>`cast(null as text)`.as('name'),
      'i.role as role',
      sql<string | null>`i.inviter_email`.as('inviter_email'),
      'i.created_at as created_at',
      'i.updated_at as updated_at',
      sql<number | null>`i.expires_at`.as('expires_at'),
    ])
    .where('i.account_id', '=', accountId)
  if (type === 'member' || status === 'ACTIVE') return invites.where(never)
  if (status === 'PENDING') invites = invites.where('i.expires_at', '>', now)
  if (status === 'EXPIRED') invites = invites.where('i.expires_at', '<=', now)
  if (role !== undefined) invites = invites.where('i.role', '=', role)
  if (search !== undefined)
    invites = invites.where((at) => engine.containsText(at.ref('i.email'), patternOf(search)))
  if (after?.kind !== kinds.invite) return invites
  return invites.where((at) =>
    at.or([
      at('i.created_at', '>', after.at),
      at.and([at('i.created_at', '=', after.at), at('i.id', '>', after.id)]),
    ]),
  )
}

const never = (): Expression<SqlBool> => sql<SqlBool>`1 = 0`
