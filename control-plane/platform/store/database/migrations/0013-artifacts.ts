/** Files of results: what is known of each; their bytes are in the artifact store. */
import { index, integer, nullable, primaryKey, table, text } from '../ddl.ts'

export const artifacts: string[] = [
  table(
    'artifacts',
    {
      result_id: text,
      name: text,
      position: integer,
      account_id: text,
      check_id: text,
      location: text,
      type: text,
      content_type: text,
      size: integer,
      sha256: nullable(text),
      refused: nullable(text),
      created_at: integer,
      completed_at: nullable(integer),
      expires_at: integer,
    },
    primaryKey('result_id', 'name'),
  ),
  index('artifacts_check', 'artifacts (check_id)'),
  index('artifacts_expiry', 'artifacts (expires_at)'),
]
