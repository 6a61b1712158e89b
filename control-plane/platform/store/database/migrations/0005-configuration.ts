/** Snippets, variables, client certificates, and the history of private locations' queues. */
import { index, integer, nullable, primaryKey, table, text } from '../ddl.ts'

const instant = integer
const bit = integer

export const configuration: string[] = [
  table(
    'snippets',
    {
      id: integer,
      account_id: text,
      name: text,
      script: text,
      created_at: instant,
      updated_at: nullable(instant),
      version: integer,
    },
    primaryKey('id'),
  ),
  index('snippets_account', 'snippets (account_id, id)'),
  table(
    'variables',
    {
      account_id: text,
      key: text,
      value: text,
      locked: bit,
      secret: bit,
      created_at: instant,
      updated_at: nullable(instant),
      version: integer,
    },
    primaryKey('account_id', 'key'),
  ),
  table(
    'client_certificates',
    {
      id: text,
      account_id: text,
      host: text,
      cert: text,
      ca: nullable(text),
      sealed_key: nullable(text),
      created_at: instant,
    },
    primaryKey('id'),
  ),
  index('client_certificates_account', 'client_certificates (account_id, created_at, id)'),
  table(
    'location_samples',
    { location_id: text, at: instant, queue_size: integer, oldest_age_ms: nullable(integer) },
    primaryKey('location_id', 'at'),
  ),
  index('location_samples_at', 'location_samples (at)'),
]
