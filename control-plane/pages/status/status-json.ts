/** `/api/status.json`: the shape that tools which watch status pages read (page, status, components, incidents). Pure. */
import { Type } from 'typebox'
import type { State } from '../../communication/stored-pages/words/words.ts'
import { sentAsIs } from '../../platform/web/http/answers/serialize.ts'
import type { Site } from './frame.ts'
import type { IncidentView, MaintenanceView, NamedService, PageModel } from './model.ts'

/** That nothing is known has no word in that shape; no tool takes it for well. */
const componentStatus: Record<State, string> = {
  unknown: 'unknown',
  operational: 'operational',
  maintenance: 'under_maintenance',
  degraded: 'degraded_performance',
  partial: 'partial_outage',
  major: 'major_outage',
}
const indicator: Record<State, string> = {
  unknown: 'unknown',
  operational: 'none',
  maintenance: 'maintenance',
  degraded: 'minor',
  partial: 'major',
  major: 'critical',
}
const impact: Record<string, string> = {
  CRITICAL: 'critical',
  MAJOR: 'major',
  MEDIUM: 'minor',
  MINOR: 'minor',
}

const Named = Type.Object({ id: Type.String(), name: Type.String() }, { additionalProperties: true })

/** What the text is, which is written once for many readers. */
export const StatusJson = sentAsIs(
  Type.Object(
    {
      page: Named,
      status: Type.Object({ indicator: Type.String(), description: Type.String() }),
      components: Type.Array(Named),
      incidents: Type.Array(Named),
      scheduled_maintenances: Type.Array(Named),
    },
    { title: 'StatusJson' },
  ),
)

/** The document, as the schema describes it; the answer is its text. */
export const exampleStatusJson = {
  page: { id: '7', name: 'Acme status' },
  status: { indicator: 'none', description: 'All systems operational' },
  components: [{ id: '12', name: 'Checkout' }],
  incidents: [],
  scheduled_maintenances: [],
}

const iso = (at: number): string => new Date(at).toISOString()

export const statusJson = (model: PageModel, { root, words }: Site): string =>
  JSON.stringify({
    page: {
      id: model.id,
      name: model.branding.name,
      url: `${root}/`,
      time_zone: 'Etc/UTC',
      updated_at: iso(model.at),
    },
    status: { indicator: indicator[model.state], description: words.sentences[model.state] },
    components: model.cards.flatMap((card) =>
      card.services.map(({ id, name, state, uptime, because }, position) => ({
        id,
        name,
        status: componentStatus[state],
        position: position + 1,
        group: card.name,
        uptime_90_days: uptime,
        caused_by: because.map(named),
      })),
    ),
    incidents: model.open.map((incident) => incidentJson(incident, root)),
    scheduled_maintenances: model.maintenance.map((maintenance) => maintenanceJson(maintenance, root)),
  })

const named = ({ id, name }: NamedService) => ({ id, name })

const incidentJson = (incident: IncidentView, root: string) => ({
  id: incident.id,
  name: incident.name,
  status: incident.status.toLowerCase(),
  impact: impact[incident.severity] ?? 'minor',
  created_at: iso(incident.createdAt),
  started_at: iso(incident.startedAt ?? incident.createdAt),
  updated_at: iso(incident.changedAt),
  resolved_at: incident.resolvedAt === null ? null : iso(incident.resolvedAt),
  shortlink: `${root}/incidents/${incident.id}`,
  components: incident.services.map(named),
  incident_updates: incident.updates.map(({ status, description, at }) => ({
    status: status.toLowerCase(),
    body: description,
    created_at: iso(at),
  })),
})

const maintenanceJson = (maintenance: MaintenanceView, root: string) => ({
  id: maintenance.id,
  name: maintenance.name,
  status: maintenance.status.toLowerCase(),
  impact: 'maintenance',
  scheduled_for: iso(maintenance.startsAt),
  scheduled_until: iso(maintenance.endsAt),
  updated_at: iso(maintenance.changedAt),
  shortlink: `${root}/maintenance/${maintenance.id}`,
  components: maintenance.services.map(named),
})
