/** How people sign in without a key, and what they changed. */

type UserPasswordsTable = { user_id: string; hash: string; updated_at: number }

type UserTotpTable = {
  user_id: string
  sealed_secret: string
  /** Null: shown, but no code of it came yet. */
  confirmed_at: number | null
  /** The time step whose code was taken last: it and those before it are over. */
  used_step: number
}

type UserRecoveryCodesTable = { user_id: string; hash: string }

/** `id` is the credential's, `public_key` COSE, both base64url. */
export type UserPasskeysTable = {
  id: string
  user_id: string
  public_key: string
  counter: number
  name: string
  created_at: number
  used_at: number | null
}

/** Who somebody is at a provider of identities (OpenID Connect). */
type UserIdentitiesTable = { issuer: string; subject: string; user_id: string; created_at: number }

/** Links that are good once. `purpose`: why it was made. */
export type SignInLinksTable = {
  hash: string
  user_id: string
  purpose: string
  created_at: number
  expires_at: number
}

export type AuditEntriesTable = {
  id: string
  account_id: string
  created_at: number
  actor_kind: string
  actor_id: string
  actor_name: string
  address: string
  action: string
  resource_type: string
  resource_id: string | null
  resource_name: string | null
  before: string | null
  after: string | null
}

export type SignInTables = {
  user_passwords: UserPasswordsTable
  user_totp: UserTotpTable
  user_recovery_codes: UserRecoveryCodesTable
  user_passkeys: UserPasskeysTable
  user_identities: UserIdentitiesTable
  sign_in_links: SignInLinksTable
  audit_entries: AuditEntriesTable
}
