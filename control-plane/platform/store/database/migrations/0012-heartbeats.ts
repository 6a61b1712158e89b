/** The timers of heartbeat checks and what happened to them. */
import { index, integer, nullable, primaryKey, table, text } from '../ddl.ts'

export const heartbeats: string[] = [
  table(
    'heartbeats',
    {
      check_id: text,
      account_id: text,
      ping_token: text,
      activated: integer,
      period_ms: integer,
      grace_ms: integer,
      state: text,
      last_ping_at: nullable(integer),
      expected_at: nullable(integer),
      deadline_at: nullable(integer),
    },
    primaryKey('check_id'),
  ),
  index('heartbeats_token', 'heartbeats (ping_token)', { unique: true }),
  index('heartbeats_deadline', 'heartbeats (deadline_at)'),
  table(
    'heartbeat_events',
    {
      id: text,
      check_id: text,
      account_id: text,
      state: text,
      at: integer,
      source: nullable(text),
      user_agent: nullable(text),
    },
    primaryKey('id'),
  ),
  index('heartbeat_events_check', 'heartbeat_events (check_id, at, id)'),
]
