/** What the platform keeps for itself: numbers, its last sign of life, whether its key is the right one, turns of retention, mails that wait to be sent. */
import { index, integer, nullable, primaryKey, table, text } from '../ddl.ts'

export const platform: readonly string[] = [
  table('counters', { name: text, value: integer }, primaryKey('name')),
  table('key_canaries', { id: integer, sealed: text }, primaryKey('id')),
  table('liveness', { id: integer, alive_at: integer }, primaryKey('id')),
  table(
    'outages',
    { since: integer, ended_at: integer, forgiven_at: nullable(integer) },
    primaryKey('since'),
  ),
  table(
    'retention_turns',
    { id: integer, holder: text, held_until: integer, begun_at: integer, ended_at: integer, due_at: integer },
    primaryKey('id'),
  ),
  table(
    'mail_contents',
    { id: text, account_id: text, sealed_content: text, created_at: integer },
    primaryKey('id'),
  ),
  index('mail_contents_created', 'mail_contents (created_at)'),
  table(
    'mails',
    {
      id: text,
      account_id: text,
      content_id: text,
      kind: text,
      address: text,
      address_key: text,
      subscription_id: nullable(text),
      status: text,
      attempts: integer,
      due_at: integer,
      created_at: integer,
      sent_at: nullable(integer),
      error: nullable(text),
    },
    primaryKey('id'),
  ),
  index('mails_due', 'mails (due_at)', { where: "status = 'WAITING'" }),
  index('mails_address', 'mails (address_key, kind, created_at)'),
  index('mails_created', 'mails (created_at)'),
]
