/** Browsers in which somebody has signed in. */
export type UserSessionsTable = {
  id: string
  /** SHA-256 of the cookie. */
  hash: string
  /** The account that is looked at now. */
  account_id: string
  /** Null: a service key's session. */
  user_id: string | null
  /** The API key that opened it; null: the user did, in another way. */
  api_key_id: string | null
  created_at: number
  used_at: number
  address: string
  /** What the browser said of itself, shortened. */
  browser: string
}

export type UserSessionTables = { user_sessions: UserSessionsTable }
