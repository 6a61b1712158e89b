/** What was done already, so that it is done once. Conventions: store/database/tables.ts. */

/**
 * An episode: the check is failing and has opened this incident, or come to it. Gone once the check recovers. `cause_id`: the service that the check
 * names, or the rule of a page that it fits.
 */
export type AutomaticIncidentsTable = {
  check_id: string
  cause_id: string
  account_id: string
  incident_id: string
  notify_subscribers: boolean
}

/** `incident_id`: the latest that the rule has opened. */
export type StatusPageRulesTable = {
  id: string
  account_id: string
  status_page_id: string
  incident_id: string | null
  created_at: number
  updated_at: number | null
  doc: string
}

/** When an expiring certificate was last alerted about. */
export type CertificateAlertsTable = { check_id: string; domain: string; alerted_at: number }

/** The domain of a check whose certificate the control plane looks at itself. */
export type CertificateLooksTable = {
  check_id: string
  account_id: string
  domain: string
  /** When to look next; a claim moves it. */
  look_at: number
  looked_at: number | null
  /** Of the certificate seen last. */
  expires_at: number | null
  /** Why the last look saw no certificate. */
  error: string | null
}

/**
 * What is wrong with a private location that has checks, since a control plane first noticed. `noticed_at`: when it was told; `mailed`:
 * to owners and admins, since no channel was to be told.
 */
type LocationProblemsTable = {
  location_id: string
  problem: string
  account_id: string
  since: number
  noticed_at: number | null
  mailed: boolean
}

/** Of an occurrence of a window: `start`, `end` or `reminder-<minutes>`. */
type MaintenanceNoticesTable = { window_id: number; date: string; notice: string; noticed_at: number }

export type IncidentAutomationTables = {
  automatic_incidents: AutomaticIncidentsTable
  status_page_rules: StatusPageRulesTable
  certificate_alerts: CertificateAlertsTable
  certificate_looks: CertificateLooksTable
  location_problems: LocationProblemsTable
  maintenance_notices: MaintenanceNoticesTable
}
