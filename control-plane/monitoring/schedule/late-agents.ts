/**
 * What agents with standing orders say of themselves while runs are awaited: that they are back, and how many reports of runs that they made
 * by themselves are still with them. It comes with every claim, so it is kept in memory, and written only while somebody waits for it.
 */
import type { App } from '../../platform/app/app.ts'
import { perApp } from '../../platform/app/per-app.ts'
import { query } from '../../platform/store/database/query.ts'
import { rowStatement, runForRows } from '../../platform/store/database/row-statement.ts'

type LateAgent = { locationId: string; agentId: string; reports: number; at: number }

const heard = perApp((): { agents: Map<string, LateAgent> } => ({ agents: new Map() }))

/** `reports`: null where it did not say. */
export const noteLateAgent = (
  app: App,
  { locationId, agentId, reports }: { locationId: string; agentId: string; reports: number | null },
): void => {
  const { agents } = heard(app)
  const key = `${locationId} ${agentId}`
  agents.set(key, {
    locationId,
    agentId,
    reports: reports ?? agents.get(key)?.reports ?? 0,
    at: app.clock.now(),
  })
}

/** Nobody waits for them: what is too old to count is dropped, the rest may be awaited in a moment. */
export const dropOldSightings = (app: App): void => {
  const { agents } = heard(app)
  const since = app.clock.now() - countsForMs
  for (const [key, { at }] of agents) if (at < since) agents.delete(key)
}

/** An agent that came back so long before its location's due times were found to be awaited has come back from that outage. */
export const countsForMs = 10_000

const lateAgentRows = rowStatement({
  name: 'note-late-agent',
  table: 'late_agents',
  valuesOf: (p: LateAgent) => ({
    location_id: p.locationId,
    agent_id: p.agentId,
    contact_at: p.at,
    reports: p.reports,
  }),
  also: (insert) =>
    insert.onConflict((conflict) =>
      conflict.columns(['location_id', 'agent_id']).doUpdateSet((set) => ({
        contact_at: set.ref('excluded.contact_at'),
        reports: set.ref('excluded.reports'),
      })),
    ),
})

export const writeLateAgents = (app: App, agents: readonly LateAgent[]): Promise<void> =>
  runForRows(app.db, lateAgentRows, agents)

/** What was heard in locations where runs are awaited, and counts, is there for all control planes; it is kept here until it is. */
export const writeHeardAgents = async (app: App, locations: ReadonlySet<string>): Promise<void> => {
  dropOldSightings(app)
  const { agents } = heard(app)
  const written = [...agents].filter(([, { locationId }]) => locations.has(locationId))
  await writeLateAgents(
    app,
    written.map(([, agent]) => agent),
  )
  for (const [key, agent] of written) if (agents.get(key) === agent) agents.delete(key)
}

export const lateAgents = query('late-agents', (k, _: Record<string, never>) =>
  k.selectFrom('late_agents').selectAll(),
)

export const forgetLateAgents = query('forget-late-agents', (k, p: { before: number }) =>
  k.deleteFrom('late_agents').where('contact_at', '<', p.before),
)
