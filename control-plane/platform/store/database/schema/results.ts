/**
 * Results in periods: small rows without text, their documents apart (period-tables.ts). On SQLite each period has tables of its
 * own, on PostgreSQL partitions by day, made ahead of time; `…_retained` hold what outlives its period and what is in none. Rollups:
 * counts and sketches of results by hour and day, how far they have come, and what came in too late for its hour.
 */
import { bytes, clusteredTable, index, integer, nullable, primaryKey, table, text } from '../ddl.ts'
import type { Engine } from '../engines.ts'
import { createPeriodTables } from './period-tables.ts'

/** What is kept is never packed. */
const retainedTables = ['result_rows', 'result_docs'] as const

export const results = (engine: Engine): readonly string[] => [
  table(
    'check_numbers',
    { n: integer, check_id: text, account_id: text, check_type: text },
    primaryKey('n'),
    'unique (check_id)',
  ),
  table('location_numbers', { n: integer, name: text }, primaryKey('n'), 'unique (name)'),
  table(
    'result_periods',
    {
      n: integer,
      from_at: integer,
      to_at: integer,
      oldest_at: nullable(integer),
      newest_at: nullable(integer),
      results: integer,
      packed_until: integer,
      has_details: integer,
      closed: integer,
    },
    primaryKey('n'),
  ),
  index('result_periods_from', 'result_periods (from_at)', { unique: true }),
  clusteredTable('removed_checks', { check_id: text, removed_at: integer }, primaryKey('check_id')),
  clusteredTable('rollup_checks', { check_id: text, number: integer }, primaryKey('check_id')),
  clusteredTable(
    'result_rollups',
    { check_number: integer, minutes: integer, series: text, start_at: integer, cells: bytes },
    primaryKey('check_number', 'minutes', 'series', 'start_at'),
  ),
  table(
    'rollup_horizon',
    { id: integer, closed_until: integer, raw_since: integer, rollups_since: integer },
    primaryKey('id'),
  ),
  table(
    'rollup_progress',
    {
      id: integer,
      version: integer,
      hours_until: integer,
      hours_after: text,
      days_until: integer,
      days_after: text,
      thinned_until: integer,
      thinned_after: text,
    },
    primaryKey('id'),
  ),
  clusteredTable(
    'late_results',
    { started_at: integer, result_id: text, check_id: text },
    primaryKey('started_at', 'result_id'),
  ),
  'insert into rollup_horizon (id, closed_until, raw_since, rollups_since) values (1, 0, 0, 0)',
  `insert into rollup_progress (id, version, hours_until, hours_after, days_until, days_after, thinned_until, thinned_after) values (1, 0, 0, '', 0, '', 0, '')`,
  ...createPeriodTables(engine.name, '_retained', retainedTables),
  ...(engine.partitions ? createPeriodTables(engine.name, '') : []),
]
