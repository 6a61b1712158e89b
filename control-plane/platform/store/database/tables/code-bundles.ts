/** Archives of Playwright projects. Conventions: store/database/tables.ts. */

/** One content (`sha256`) is there once in an account. */
export type CodeBundlesTable = {
  id: string
  account_id: string
  sha256: string
  /** Bytes, as they are stored and announced. */
  size: number
  /** Of what it holds; null until that is known. */
  files: number | null
  unpacked_size: number | null
  created_at: number
  /** Null while it is received, and once it is about to be removed: nobody may use it. */
  completed_at: number | null
  /** When it was last uploaded, or a check took it up or let it go. */
  used_at: number
}

/** The bundle that a check runs. */
type CheckBundlesTable = { check_id: string; account_id: string; bundle_id: string }

export type CodeBundleTables = { code_bundles: CodeBundlesTable; check_bundles: CheckBundlesTable }
