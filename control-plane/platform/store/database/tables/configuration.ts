/** What accounts configure besides checks. Conventions: store/database/tables.ts. */

/** `check_id`: '' for what all checks go by. `writes`: how often it was changed after it was made; -1: it is gone. */
type ConfigurationChangesTable = {
  account_id: string
  check_id: string
  changed_at: number
  writes: number
}

export type SnippetsTable = {
  id: number
  account_id: string
  name: string
  script: string
  created_at: number
  updated_at: number | null
  version: number
}

export type VariablesTable = {
  account_id: string
  key: string
  /** Sealed. */
  value: string
  locked: boolean
  secret: boolean
  created_at: number
  updated_at: number | null
  version: number
}

export type ClientCertificatesTable = {
  id: string
  account_id: string
  host: string
  cert: string
  ca: string | null
  /** JSON of { key, passphrase }, sealed; null without a key. */
  sealed_key: string | null
  created_at: number
}

/** The queue of a private location once a minute. `oldest_age_ms` is null while nothing waits; `late_jobs` had waited for too long, and an agent that was busy could have run one. */
type LocationSamplesTable = {
  location_id: string
  at: number
  queue_size: number
  oldest_age_ms: number | null
  late_jobs: number
}

/** Which resource a key of a file has made. `resource_id`: as paths have it; null while it is being made. */
export type CodeKeysTable = {
  account_id: string
  project: string
  kind: string
  key: string
  resource_id: string | null
  /** Of the digest of what the file said, so that nobody who reads the store can guess what it was. */
  signature: string
  resource_updated_at: string | null
  begun_at: number
}

export type ConfigurationTables = {
  code_keys: CodeKeysTable
  configuration_changes: ConfigurationChangesTable
  snippets: SnippetsTable
  variables: VariablesTable
  client_certificates: ClientCertificatesTable
  location_samples: LocationSamplesTable
}
