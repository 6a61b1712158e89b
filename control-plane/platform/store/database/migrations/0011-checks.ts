/** What checks and check groups are found by, and the files of scripts. */
import { index, integer, primaryKey, table, text } from '../ddl.ts'

export const checkDetails: string[] = [
  table('check_tags', { check_id: text, account_id: text, tag: text }, primaryKey('check_id', 'tag')),
  index('check_tags_tag', 'check_tags (account_id, tag)'),
  table(
    'check_group_tags',
    { group_id: integer, account_id: text, tag: text },
    primaryKey('group_id', 'tag'),
  ),
  index('check_group_tags_tag', 'check_group_tags (account_id, tag)'),
  table('check_files', { check_id: text, account_id: text, doc: text }, primaryKey('check_id')),
]
