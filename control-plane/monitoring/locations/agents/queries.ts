import { query } from '../../../platform/store/database/query.ts'

export type AgentSighting = {
  location: string
  agentId: string
  version: string
  platform: string
  checkTypes: string
  runtimeIds: string
  isolation: string | null
  now: number
}

export const recordAgentSeen = query('record-agent-seen', (k, p: AgentSighting) => {
  const changing = {
    version: p.version,
    platform: p.platform,
    check_types: p.checkTypes,
    runtime_ids: p.runtimeIds,
    isolation: p.isolation,
    last_seen_at: p.now,
  }
  return k
    .insertInto('agents')
    .values({ location_id: p.location, agent_id: p.agentId, first_seen_at: p.now, ...changing })
    .onConflict((conflict) => conflict.columns(['location_id', 'agent_id']).doUpdateSet(changing))
})

export const agentsOfLocation = query('agents-of-location', (k, p: { location: string; since: number }) =>
  k
    .selectFrom('agents')
    .selectAll()
    .where('location_id', '=', p.location)
    .where('last_seen_at', '>=', p.since),
)

export const agentsOfLocations = query(
  'agents-of-locations',
  (k, p: { locations: readonly string[]; since: number }, engine) =>
    k
      .selectFrom('agents')
      .select(['location_id', 'check_types', 'runtime_ids'])
      .where('location_id', 'in', engine.textList(p.locations))
      .where('last_seen_at', '>=', p.since),
)

/** Of any location. */
export const anyAgent = query('any-agent', (k, p: { since: number }) =>
  k.selectFrom('agents').select('agent_id').where('last_seen_at', '>=', p.since).limit(1),
)
