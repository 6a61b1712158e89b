/** Shared settings of checks. */
import { index, integer, nullable, primaryKey, table, text } from '../ddl.ts'

export const checkGroups: string[] = [
  table(
    'check_groups',
    {
      id: integer,
      account_id: text,
      name: text,
      activated: integer,
      created_at: integer,
      updated_at: nullable(integer),
      version: integer,
      doc: text,
    },
    primaryKey('id'),
  ),
  index('check_groups_account', 'check_groups (account_id, id)'),
]
