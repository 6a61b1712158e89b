/** All SQL about what agents report of their own failures. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/store/database/db.ts'
import { query } from '../../../platform/store/database/query.ts'
import type { AgentErrorEventsTable } from '../../../platform/store/database/tables/runs.ts'

export const insertErrorEvent = query('insert-error-event', (k, p: AgentErrorEventsTable) =>
  k.insertInto('agent_error_events').values({
    id: p.id,
    location_id: p.location_id,
    agent_id: p.agent_id,
    at: p.at,
    doc: p.doc,
    created_at: p.created_at,
  }),
)

/** What comes after the newest `kept` of a location. */
export const deleteBeyondNewest = query(
  'delete-error-events-beyond',
  (k, p: { locationId: string; retained: number; limit: number }) =>
    k
      .deleteFrom('agent_error_events')
      .where('id', 'in', (at) =>
        at
          .selectFrom('agent_error_events as e')
          .select('e.id')
          .where('e.location_id', '=', p.locationId)
          .orderBy('e.created_at', 'desc')
          .orderBy('e.at', 'desc')
          .orderBy('e.id', 'desc')
          .limit(p.limit)
          .offset(p.retained),
      ),
)

export const deleteOldErrorEvents = query(
  'delete-old-error-events',
  (k, p: { before: number; limit: number }) =>
    k
      .deleteFrom('agent_error_events')
      .where('id', 'in', (at) =>
        at
          .selectFrom('agent_error_events as e')
          .select('e.id')
          .where('e.created_at', '<', p.before)
          .orderBy('e.created_at')
          .limit(p.limit),
      ),
)

/** When it came in, when it happened, and its id: of the last one of the page before. */
export type ErrorEventCursor = [createdAt: number, at: number, id: string]

type Page = { locationId: string; after: ErrorEventCursor | undefined; limit: number }

/** Newest first. */
export const errorEventsOfLocation = (
  db: Db,
  { locationId, after, limit }: Page,
): Promise<AgentErrorEventsTable[]> =>
  db.select((k) => {
    const all = k.selectFrom('agent_error_events').selectAll().where('location_id', '=', locationId)
    const older = after
      ? all.where(sql<boolean>`(created_at, at, id) < (${after[0]}, ${after[1]}, ${after[2]})`)
      : all
    return older.orderBy('created_at', 'desc').orderBy('at', 'desc').orderBy('id', 'desc').limit(limit)
  })
