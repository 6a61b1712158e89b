/** An agent's own failures are listed and end by when they came in: an agent's clock may say anything. */
import { index } from '../ddl.ts'

export const agentErrors: string[] = [
  'alter table agent_error_events add column created_at bigint not null default 0',
  'update agent_error_events set created_at = at',
  'drop index agent_error_events_location',
  index('agent_error_events_of_location', 'agent_error_events (location_id, created_at, at, id)'),
  index('agent_error_events_age', 'agent_error_events (created_at)'),
]
