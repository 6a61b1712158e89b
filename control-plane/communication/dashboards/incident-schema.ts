/** Incidents of dashboards: what is told on one dashboard, with dates of its own; those of status pages follow from their updates. */
import { type Static, Type } from 'typebox'
import { storedDoc } from '../../platform/store/database/stored-doc.ts'
import { DateTime, DateTimeOrNull } from '../../platform/words/shapes/instants.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { changesOf, optional } from '../../platform/words/shapes/optional-fields.ts'
import { exampleDashboard } from './schema.ts'

const closed = { additionalProperties: false }
const id = Type.String({ format: 'uuid' })
const name = Type.String({ minLength: 1, maxLength: 255 })
const impact = Type.Enum(['MAINTENANCE', 'MAJOR', 'MINOR'], { default: 'MINOR' })
const status = Type.Enum(['INVESTIGATING', 'IDENTIFIED', 'MONITORING', 'RESOLVED', 'MAINTENANCE'])
const description = Type.String({ minLength: 1, maxLength: 2000 })
const dates = {
  startedAt: nullable(Type.String({ format: 'date-time' }), {
    default: null,
    description: 'When it begins; null: when it was made',
  }),
  stoppedAt: nullable(Type.String({ format: 'date-time' }), {
    default: null,
    description: 'When it is over; null: when an update resolves it',
  }),
}

/** Of an incident, so many updates are kept. */
export const mostUpdates = 100

const instant = nullable(Type.Number(), { default: null })
const StoredUpdate = Type.Object(
  { id: Type.String(), status, description, createdAt: Type.Number(), updatedAt: instant },
  closed,
)
export type StoredUpdate = Static<typeof StoredUpdate>

/** `updates`: newest first, at least one. */
const IncidentDoc = Type.Object(
  { name: Type.String(), impact, startedAt: instant, stoppedAt: instant, updates: Type.Array(StoredUpdate) },
  closed,
)
export type DashboardIncidentDoc = Static<typeof IncidentDoc>
export const dashboardIncidentDoc = storedDoc({ name: 'incident of a dashboard', schema: IncidentDoc })

const ofDashboard = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description: 'The `id` of a dashboard',
})
const updateFields = { status, description }

export const NewDashboardIncidentUpdate = Type.Object(updateFields, {
  ...closed,
  title: 'NewDashboardIncidentUpdate',
})
export type NewDashboardIncidentUpdate = Static<typeof NewDashboardIncidentUpdate>

/** Only what is sent changes. */
export const DashboardIncidentUpdateChanges = Type.Object(changesOf(updateFields), {
  ...closed,
  title: 'DashboardIncidentUpdateChanges',
})
export type DashboardIncidentUpdateChanges = Static<typeof DashboardIncidentUpdateChanges>

export const NewDashboardIncident = Type.Object(
  {
    name,
    ...optional({ impact, ...dates }),
    dashboardId: ofDashboard,
    incidentUpdates: Type.Array(NewDashboardIncidentUpdate, { minItems: 1, maxItems: 1 }),
  },
  { ...closed, title: 'NewDashboardIncident' },
)
export type NewDashboardIncident = Static<typeof NewDashboardIncident>

/** Only what is sent changes. */
export const DashboardIncidentChanges = Type.Object(changesOf({ name, impact, ...dates }), {
  ...closed,
  title: 'DashboardIncidentChanges',
})
export type DashboardIncidentChanges = Static<typeof DashboardIncidentChanges>

export const DashboardIncidentUpdate = Type.Object(
  { id, incidentId: id, status, description, created_at: DateTime, updated_at: DateTimeOrNull },
  { title: 'DashboardIncidentUpdate' },
)
export type DashboardIncidentUpdate = Static<typeof DashboardIncidentUpdate>

export const DashboardIncident = Type.Object(
  {
    ...{ id, dashboardId: ofDashboard, name, impact, ...dates },
    incidentUpdates: Type.Array(DashboardIncidentUpdate, { description: 'Newest first' }),
    ...{ created_at: DateTime, updated_at: DateTimeOrNull },
  },
  { title: 'DashboardIncident' },
)
export type DashboardIncident = Static<typeof DashboardIncident>

export const DashboardIncidentId = Type.Object({ id })
export const DashboardIncidentUpdateId = Type.Object({ incidentId: id, id })

export const exampleNewUpdate = { status: 'INVESTIGATING', description: 'Payments fail in all regions.' }
const exampleId = '0d6f3c2b-1a59-4e8d-9b7c-6f5e4d3c2b1a'
export const exampleUpdate = {
  id: '5c4b3a29-1807-4f6e-8d5c-4b3a29180706',
  incidentId: exampleId,
  ...exampleNewUpdate,
  created_at: '2026-01-05T10:00:00.000Z',
  updated_at: null,
}
export const exampleNewIncident = {
  name: 'Payments fail',
  impact: 'MAJOR',
  dashboardId: exampleDashboard.id,
  incidentUpdates: [exampleNewUpdate],
}
export const exampleIncident = {
  ...exampleNewIncident,
  id: exampleId,
  startedAt: null,
  stoppedAt: null,
  incidentUpdates: [exampleUpdate],
  created_at: '2026-01-05T10:00:00.000Z',
  updated_at: null,
}
