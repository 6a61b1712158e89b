/** Who changed what, from where. */
import { index, integer, nullable, primaryKey, table, text } from '../ddl.ts'

export const auditLog: string[] = [
  table(
    'audit_entries',
    {
      id: text,
      account_id: text,
      created_at: integer,
      actor_kind: text,
      actor_id: text,
      actor_name: text,
      address: text,
      action: text,
      resource_type: text,
      resource_id: nullable(text),
      before: nullable(text),
      after: nullable(text),
    },
    primaryKey('id'),
  ),
  index('audit_entries_account', 'audit_entries (account_id, created_at, id)'),
]
