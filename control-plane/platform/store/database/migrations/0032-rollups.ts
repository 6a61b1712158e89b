/** Rollups: counts and sketches of results by hour and day, how far they have come, and what came in too late for its hour. */
import { bytes, clusteredTable, integer, primaryKey, table, text } from '../ddl.ts'

export const rollups: string[] = [
  clusteredTable('rollup_checks', { check_id: text, number: integer }, primaryKey('check_id')),
  clusteredTable(
    'result_rollups',
    { check_number: integer, hours: integer, series: text, start_at: integer, cells: bytes },
    primaryKey('check_number', 'hours', 'series', 'start_at'),
  ),
  table('rollup_horizon', { id: integer, closed_until: integer }, primaryKey('id')),
  table(
    'rollup_progress',
    {
      id: integer,
      version: integer,
      hours_until: integer,
      hours_after: text,
      days_until: integer,
      days_after: text,
    },
    primaryKey('id'),
  ),
  clusteredTable(
    'late_results',
    { started_at: integer, result_id: text, check_id: text },
    primaryKey('started_at', 'result_id'),
  ),
  'insert into rollup_horizon (id, closed_until) values (1, 0)',
  `insert into rollup_progress (id, version, hours_until, hours_after, days_until, days_after) values (1, 0, 0, '', 0, '')`,
]
