/** Mails that wait to be sent, and what is still to be announced to subscribers of status pages. */
import { clusteredTable, index, integer, nullable, primaryKey, table, text } from '../ddl.ts'

export const mails: string[] = [
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
  clusteredTable(
    'announcements',
    { kind: text, subject: text, account_id: text, since: integer, due_at: integer },
    primaryKey('kind', 'subject'),
  ),
  'alter table status_page_subscriptions add column sealed_token text',
]
