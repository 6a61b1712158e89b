/** Files of results. Conventions: store/database/tables.ts. */

export type ArtifactsTable = {
  result_id: string
  name: string
  /** In the order of the report. */
  position: number
  account_id: string
  check_id: string
  /** The location whose agents may upload it (`jobs.location`). */
  location: string
  type: string
  content_type: string
  size: number
  /** Null when refused. */
  sha256: string | null
  /** Why it will never come. */
  refused: string | null
  created_at: number
  /** Null until all of it is in the store. */
  completed_at: number | null
  expires_at: number
}

/** The sum of what is not refused. `owner`: `account <id>` or `location <id>`. */
type ArtifactUsageTable = { owner: string; bytes: number }

export type ArtifactTables = { artifacts: ArtifactsTable; artifact_usage: ArtifactUsageTable }
