import type { Db } from '../../platform/store/database/db.ts'
import type { IncidentsTable } from '../../platform/store/database/tables/status-pages.ts'
import { updateIncident } from './queries.ts'
import { type IncidentStatus, timelineOf } from './timeline.ts'
import { stepsOfIncident } from './update-queries.ts'

/** Brings an incident's status and times in line with its updates; its lock is held. */
export const writeTimeline = async (trx: Db, incident: IncidentsTable, now: number): Promise<void> => {
  const steps = await trx.all(stepsOfIncident, { incidentId: incident.id })
  const { status, startedAt, resolvedAt } = timelineOf(
    steps.map((step) => ({ at: step.published_at, status: step.status as IncidentStatus })),
  )
  await trx.run(updateIncident, {
    ...incident,
    status,
    started_at: startedAt,
    resolved_at: resolvedAt,
    updated_at: now,
    version: incident.version + 1,
  })
}
