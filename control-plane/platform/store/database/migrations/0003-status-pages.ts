/** Status pages with cards, services, keys and subscriptions; incidents with their updates. */
import { index, integer, nullable, primaryKey, table, text } from '../ddl.ts'

const instant = integer
const bit = integer

export const statusPages: string[] = [
  table(
    'status_pages',
    {
      id: text,
      account_id: text,
      url: text,
      custom_domain: nullable(text),
      created_at: instant,
      updated_at: nullable(instant),
      version: integer,
      doc: text,
    },
    primaryKey('id'),
  ),
  index('status_pages_account', 'status_pages (account_id, created_at, id)'),
  table('status_page_names', { kind: text, name: text, status_page_id: text }, primaryKey('kind', 'name')),
  index('status_page_names_page', 'status_page_names (status_page_id)'),
  table(
    'status_page_cards',
    {
      status_page_id: text,
      id: text,
      account_id: text,
      position: integer,
      name: text,
      created_at: instant,
      updated_at: nullable(instant),
    },
    primaryKey('status_page_id', 'id'),
  ),
  table(
    'status_page_card_services',
    { status_page_id: text, card_id: text, service_id: text, account_id: text, position: integer },
    primaryKey('status_page_id', 'card_id', 'service_id'),
  ),
  index('status_page_card_services_service', 'status_page_card_services (service_id)'),
  table(
    'status_page_keys',
    { id: text, account_id: text, status_page_id: text, hash: text, masked: text, created_at: instant },
    primaryKey('id'),
  ),
  index('status_page_keys_page', 'status_page_keys (status_page_id)'),
  table(
    'status_page_services',
    { id: text, account_id: text, name: text, created_at: instant, updated_at: nullable(instant) },
    primaryKey('id'),
  ),
  index('status_page_services_account', 'status_page_services (account_id, created_at, id)'),
  table(
    'incidents',
    {
      id: text,
      account_id: text,
      name: text,
      severity: text,
      status: text,
      started_at: nullable(instant),
      resolved_at: nullable(instant),
      created_at: instant,
      updated_at: nullable(instant),
      version: integer,
    },
    primaryKey('id'),
  ),
  index('incidents_account', 'incidents (account_id, created_at, id)'),
  table(
    'incident_services',
    { incident_id: text, service_id: text, account_id: text, position: integer },
    primaryKey('incident_id', 'service_id'),
  ),
  index('incident_services_service', 'incident_services (service_id)'),
  table(
    'incident_updates',
    {
      id: text,
      account_id: text,
      incident_id: text,
      status: text,
      description: text,
      published_at: instant,
      notify_subscribers: bit,
      created_at: instant,
    },
    primaryKey('id'),
  ),
  index('incident_updates_incident', 'incident_updates (incident_id, published_at)'),
  table(
    'status_page_subscriptions',
    {
      id: text,
      account_id: text,
      status_page_id: text,
      type: text,
      address: text,
      address_key: text,
      status: text,
      created_at: instant,
      updated_at: nullable(instant),
    },
    primaryKey('id'),
  ),
  index(
    'status_page_subscriptions_address',
    'status_page_subscriptions (status_page_id, type, address_key)',
    { unique: true },
  ),
]
