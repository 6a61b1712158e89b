/**
 * Dashboards: checks by their tags, on a page of their own. `dashboard_id` names it in addresses, `id` in incidents. `domain_seen_at`: when the proof of
 * `custom_domain` was last seen in the DNS. `key_…`: of a private one; only the hash of its key is kept. Conventions: store/database/tables.ts.
 */
export type DashboardsTable = {
  id: number
  account_id: string
  dashboard_id: string
  custom_url: string
  custom_domain: string | null
  domain_seen_at: number | null
  domain_checked_at: number | null
  key_id: string | null
  key_hash: string | null
  key_masked: string | null
  key_created_at: number | null
  created_at: number
  updated_at: number | null
  version: number
  doc: string
}

/** What is told on one dashboard; its updates are in its document. */
export type DashboardIncidentsTable = {
  id: string
  account_id: string
  dashboard_id: number
  created_at: number
  updated_at: number | null
  version: number
  doc: string
}

export type DashboardTables = { dashboards: DashboardsTable; dashboard_incidents: DashboardIncidentsTable }
