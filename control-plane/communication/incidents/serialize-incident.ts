import type { Db } from '../../platform/store/database/db.ts'
import type {
  IncidentsTable,
  IncidentUpdatesTable,
} from '../../platform/store/database/tables/status-pages.ts'
import { toIso, toIsoOrNull } from '../../platform/words/shapes/instants.ts'
import { serializeService } from '../status-page-services/schema.ts'
import { translationsDoc } from '../stored-pages/translations.ts'
import { servicesOfIncidents } from './queries.ts'
import type { Incident, IncidentSummary, IncidentUpdate } from './schema.ts'
import { durationSeconds, type IncidentStatus } from './timeline.ts'
import { updatesOfIncidents } from './update-queries.ts'

/** Of an incident's updates, the newest are shown. */
export const shownUpdates = 100

export const serializeIncidentUpdate = (row: IncidentUpdatesTable): IncidentUpdate => ({
  id: row.id,
  description: row.description,
  translations: translationsDoc.read(row.translations),
  status: row.status as IncidentStatus,
  publicIncidentUpdateDate: toIso(row.published_at),
  notifySubscribers: row.notify_subscribers,
  created_at: toIso(row.created_at),
})

/** As they stand at `now`, in the order given. */
export const serializeSummaries = async (
  db: Db,
  rows: readonly IncidentsTable[],
  now: number,
): Promise<IncidentSummary[]> => {
  if (rows.length === 0) return []
  const ids = [...new Set(rows.map(({ id }) => id))]
  const services = Map.groupBy(await db.all(servicesOfIncidents, { ids }), ({ incident_id }) => incident_id)
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    translations: translationsDoc.read(row.translations),
    severity: row.severity as IncidentSummary['severity'],
    services: (services.get(row.id) ?? []).map(serializeService),
    lastUpdateStatus: row.status as IncidentStatus,
    duration: durationSeconds({ startedAt: row.started_at, resolvedAt: row.resolved_at }, now),
    created_at: toIso(row.created_at),
    updated_at: toIsoOrNull(row.updated_at),
  }))
}

export const serializeIncidents = async (
  db: Db,
  rows: readonly IncidentsTable[],
  now: number,
): Promise<Incident[]> => {
  const ids = rows.map(({ id }) => id)
  const found = await db.all(updatesOfIncidents, { ids, limit: shownUpdates })
  const updates = Map.groupBy(found, ({ incident_id }) => incident_id)
  const summaries = await serializeSummaries(db, rows, now)
  return summaries.map((summary) => ({
    ...summary,
    incidentUpdates: (updates.get(summary.id) ?? []).map(serializeIncidentUpdate),
  }))
}
