/** Retention: who is at its turn, when the last one began and ended, and how far a walk that leaves rows behind has come. */
import { clusteredTable, integer, primaryKey, table, text } from '../ddl.ts'

export const retention: string[] = [
  table(
    'retention_turns',
    { id: integer, holder: text, held_until: integer, begun_at: integer, ended_at: integer, due_at: integer },
    primaryKey('id'),
  ),
  clusteredTable('retention_positions', { kind: text, position: text }, primaryKey('kind')),
]
