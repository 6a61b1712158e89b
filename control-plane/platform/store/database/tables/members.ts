/** People and what they may do in which account. Conventions: store/database/tables.ts. */

/** A person, the same one in every account. `email` is in lower case; `name_search` is what lists are searched by. */
type UsersTable = {
  /** That they chose for our pages (BCP 47); null: what their browser asks for. */
  language: string | null
  id: string
  email: string
  name: string | null
  name_search: string
  created_at: number
  updated_at: number
}

type MembershipsTable = {
  account_id: string
  user_id: string
  role: string
  created_at: number
  updated_at: number
}

/** A way in that waits to be taken. Only the hash of its token is stored. */
export type InvitesTable = {
  id: string
  account_id: string
  email: string
  role: string
  inviter_email: string
  token_hash: string
  created_at: number
  updated_at: number
  expires_at: number
}

export type MemberTables = {
  users: UsersTable
  memberships: MembershipsTable
  invites: InvitesTable
}
