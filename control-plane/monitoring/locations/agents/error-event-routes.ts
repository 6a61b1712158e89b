import { type Static, Type } from 'typebox'
import type { AgentErrorEventsTable } from '../../../platform/store/database/tables/runs.ts'
import { type Route, route } from '../../../platform/web/http/route.ts'
import { notFound } from '../../../platform/words/errors.ts'
import { cursorOf, cursorParameters, pageOf } from '../../../platform/words/shapes/cursor.ts'
import { toIso } from '../../../platform/words/shapes/instants.ts'
import { findPrivateLocation } from '../queries.ts'
import { LocationId } from '../schema.ts'
import { errorEventDoc } from './agent-docs.ts'
import { type ErrorEventCursor, errorEventsOfLocation } from './error-event-queries.ts'

const DateTime = Type.String({ format: 'date-time' })

const AgentError = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    agentId: Type.String(),
    message: Type.String(),
    stack: Type.String(),
    agentVersion: Type.String(),
    platform: Type.String(),
    runtime: Type.String(),
    at: { ...DateTime, description: "When it happened, by the agent's clock" },
    created_at: { ...DateTime, description: 'When it was reported' },
  },
  { title: 'AgentError' },
)
type AgentError = Static<typeof AgentError>

const instant = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const cursor = cursorOf(Type.Tuple([instant, instant, Type.String({ maxLength: 64 })]))

const present = (row: AgentErrorEventsTable): AgentError => ({
  ...errorEventDoc.read(row.doc),
  id: row.id,
  agentId: row.agent_id,
  at: toIso(row.at),
  created_at: toIso(row.created_at),
})

const example: AgentError = {
  id: '0b4c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11',
  agentId: 'office-1',
  message: 'The spool is full',
  stack: 'Error: The spool is full',
  agentVersion: '0.1.0',
  platform: 'linux-x64',
  runtime: 'node 24.0.0',
  at: '2026-01-01T00:00:00.000Z',
  created_at: '2026-01-01T00:00:01.000Z',
}

const list = route({
  method: 'GET',
  path: '/v1/private-locations/:id/agent-errors',
  access: 'READ_ONLY',
  tag: 'Private locations',
  summary: "Failures of a location's agents themselves, newest first",
  description: 'Kept for 30 days, and at most 500 of a location.',
  params: LocationId,
  query: Type.Object(cursorParameters, { additionalProperties: false }),
  status: 200,
  response: pageOf(AgentError, 'AgentErrorPage'),
  example: {
    params: { id: '5d7c1b9a-44f0-4b0e-9c3a-1f6f4c1d2e33' },
    query: { limit: 20 },
    response: { length: 1, entries: [example], nextId: null },
  },
  handle: async ({ params, query: { limit, nextId }, principal: { accountId } }, app) => {
    const location = await app.db.get(findPrivateLocation, { id: params.id, accountId })
    if (!location) throw notFound()
    const after = nextId === undefined ? undefined : (cursor.decode(nextId) as ErrorEventCursor)
    const rows = await errorEventsOfLocation(app.db, { locationId: location.id, after, limit: limit + 1 })
    const entries = rows.slice(0, limit).map(present)
    const last = rows.length > limit ? rows[limit - 1] : undefined
    const next = last === undefined ? null : cursor.encode([last.created_at, last.at, last.id])
    return { length: entries.length, entries, nextId: next }
  },
})

export { list as listAgentErrors }

export const errorEventRoutes: Route[] = [list]
