/** Archives of Playwright projects, and which checks run them; their bytes are in the artifact store. */
import { index, integer, nullable, primaryKey, table, text } from '../ddl.ts'

export const codeBundles: string[] = [
  table(
    'code_bundles',
    {
      id: text,
      account_id: text,
      sha256: text,
      size: integer,
      files: nullable(integer),
      unpacked_size: nullable(integer),
      created_at: integer,
      completed_at: nullable(integer),
      used_at: integer,
    },
    primaryKey('id'),
  ),
  index('code_bundles_content', 'code_bundles (account_id, sha256)', {
    unique: true,
    where: 'completed_at is not null',
  }),
  index('code_bundles_account', 'code_bundles (account_id, created_at, id)'),
  index('code_bundles_used', 'code_bundles (used_at)'),
  table('check_bundles', { check_id: text, account_id: text, bundle_id: text }, primaryKey('check_id')),
  index('check_bundles_bundle', 'check_bundles (bundle_id)'),
]
