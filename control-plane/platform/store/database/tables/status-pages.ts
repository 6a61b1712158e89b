/**
 * Status pages: what they show (cards, services), what happened (incidents), and who is told. `translations`: names and descriptions in other
 * languages (stored-pages/translations.ts). Conventions: store/database/tables.ts.
 */

export type StatusPagesTable = {
  id: string
  account_id: string
  url: string
  custom_domain: string | null
  created_at: number
  updated_at: number | null
  version: number
  doc: string
}

/**
 * Addresses in use over the whole installation, in lower case: `kind` is `URL`, `DASHBOARD` (a URL of those) or `DOMAIN`, which status pages and
 * dashboards share. `page_id`: whose it is.
 */
type PageNamesTable = { kind: string; name: string; page_id: string }

/** A card's id is its own within its page. `doc` of both: what only components have (components.ts). */
export type StatusPageCardsTable = {
  status_page_id: string
  id: string
  account_id: string
  position: number
  name: string
  translations: string
  created_at: number
  updated_at: number | null
  doc: string
}

export type StatusPageCardServicesTable = {
  status_page_id: string
  card_id: string
  service_id: string
  account_id: string
  position: number
  doc: string
}

/** A private page's key: only its hash is kept. */
export type StatusPageKeysTable = {
  id: string
  account_id: string
  status_page_id: string
  hash: string
  masked: string
  created_at: number
}

export type StatusPageServicesTable = {
  id: string
  account_id: string
  name: string
  translations: string
  created_at: number
  updated_at: number | null
}

/**
 * `status_page_id`: it is told on that page alone; null: on all that show one of its services. `impacts`: what it did to each of them when, where that was
 * said (impacts.ts). `status`, `started_at` (null: no downtime is known) and `resolved_at` follow from the updates and are written with them.
 */
export type IncidentsTable = {
  id: string
  account_id: string
  status_page_id: string | null
  impacts: string
  name: string
  translations: string
  severity: string
  status: string
  started_at: number | null
  resolved_at: number | null
  created_at: number
  updated_at: number | null
  version: number
}

type IncidentServicesTable = {
  incident_id: string
  service_id: string
  account_id: string
  position: number
}

/** `published_at`: when it happened, as the page shows it. */
export type IncidentUpdatesTable = {
  id: string
  account_id: string
  incident_id: string
  status: string
  description: string
  translations: string
  published_at: number
  notify_subscribers: boolean
  created_at: number
}

/**
 * `address_key`: the address in lower case; one subscription each. `language`: of its mails; null: the page's default. `components`: which of the page it
 * is told of (subscribed-components.ts). `sealed_token`: in the links of its mails; null until the first.
 */
export type StatusPageSubscriptionsTable = {
  id: string
  account_id: string
  status_page_id: string
  type: string
  address: string
  address_key: string
  language: string | null
  components: string
  status: string
  created_at: number
  updated_at: number | null
  sealed_token: string | null
}

/**
 * How a page is given to visitors. `domain_seen_at`: when the proof of `domain` was last seen in the DNS. `password_hash`: of the owner's own
 * password (scrypt); null where there is only the generated one.
 */
export type StatusPagePublicationsTable = {
  status_page_id: string
  account_id: string
  domain: string | null
  domain_seen_at: number | null
  domain_checked_at: number | null
  password_hash: string | null
  updated_at: number
  doc: string
}

/**
 * A check that belongs to a service (`triggerIncident`). `active`: it runs. `linked_at`: where what it says of the service begins. `changed_at`: so that
 * pages know.
 */
export type ServiceChecksTable = {
  check_id: string
  service_id: string
  account_id: string
  active: boolean
  linked_at: number
  changed_at: number
}

export type StatusPageTables = {
  service_checks: ServiceChecksTable
  status_page_publications: StatusPagePublicationsTable
  status_pages: StatusPagesTable
  page_names: PageNamesTable
  status_page_cards: StatusPageCardsTable
  status_page_card_services: StatusPageCardServicesTable
  status_page_keys: StatusPageKeysTable
  status_page_services: StatusPageServicesTable
  incidents: IncidentsTable
  incident_services: IncidentServicesTable
  incident_updates: IncidentUpdatesTable
  status_page_subscriptions: StatusPageSubscriptionsTable
}
