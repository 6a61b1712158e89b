/** How a status page is given to visitors: the proof of its domain, an own password, networks, frames. */
import { index, integer, nullable, primaryKey, table, text } from '../ddl.ts'

export const statusPagePublications: string[] = [
  table(
    'status_page_publications',
    {
      status_page_id: text,
      account_id: text,
      domain: nullable(text),
      domain_seen_at: nullable(integer),
      domain_checked_at: nullable(integer),
      password_hash: nullable(text),
      updated_at: integer,
      doc: text,
    },
    primaryKey('status_page_id'),
  ),
  index('status_page_publications_domain', 'status_page_publications (domain)'),
]
