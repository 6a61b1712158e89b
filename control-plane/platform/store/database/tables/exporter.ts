/** What exporters of several control planes tell each other. Conventions: store/database/tables.ts. */

/** A control plane that is scraped for the account. */
type ExporterFollowsTable = {
  account_id: string
  plane_id: string
  followed_until: number
}

/** Runs that one control plane took in, as one list (insight/prometheus/share-runs-tick.ts). */
type ExporterRunsTable = {
  id: string
  plane_id: string
  created_at: number
  doc: string
}

export type ExporterTables = {
  exporter_follows: ExporterFollowsTable
  exporter_runs: ExporterRunsTable
}
