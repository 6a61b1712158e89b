/** Incidents of status pages: what hit which services, told in updates. */
import { type Static, Type } from 'typebox'
import { pageOf } from '../../platform/words/shapes/cursor.ts'
import { DateTime, DateTimeOrNull } from '../../platform/words/shapes/instants.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { changesOf } from '../../platform/words/shapes/optional-fields.ts'
import { exampleService, Service, ServiceReference } from '../status-page-services/schema.ts'
import { translationsOf } from '../stored-pages/translations.ts'
import { incidentStatuses } from './timeline.ts'

const closed = { additionalProperties: false }
const id = Type.String({ format: 'uuid' })
const name = Type.String({ minLength: 1, maxLength: 255 })
const Severity = Type.Enum(['CRITICAL', 'MAJOR', 'MEDIUM', 'MINOR'])
const Status = Type.Enum([...incidentStatuses])
const description = Type.String({ minLength: 1, maxLength: 5000 })
const services = Type.Array(ServiceReference, { minItems: 1, maxItems: 100 })

const updateFields = {
  description,
  translations: Type.Optional(translationsOf('IncidentUpdate', { description })),
  status: Type.Optional(Status),
  publicIncidentUpdateDate: Type.Optional(
    Type.String({ format: 'date-time', description: 'When it happened; now unless set back' }),
  ),
  notifySubscribers: Type.Optional(
    Type.Boolean({ default: false, description: 'Mail subscribers when it is first posted' }),
  ),
}

/** Without a status the incident keeps the one it has; the first update is `INVESTIGATING`. */
export const NewIncidentUpdate = Type.Object(updateFields, { ...closed, title: 'NewIncidentUpdate' })
export type NewIncidentUpdate = Static<typeof NewIncidentUpdate>

/** Only what is sent changes. Nobody is mailed again. */
export const IncidentUpdateChanges = Type.Object(changesOf(updateFields), {
  ...closed,
  title: 'IncidentUpdateChanges',
})
export type IncidentUpdateChanges = Static<typeof IncidentUpdateChanges>

export const IncidentUpdate = Type.Object(
  {
    id,
    description,
    translations: translationsOf('IncidentUpdate', { description }),
    status: Status,
    publicIncidentUpdateDate: DateTime,
    notifySubscribers: Type.Boolean(),
    created_at: DateTime,
  },
  { title: 'IncidentUpdate' },
)
export type IncidentUpdate = Static<typeof IncidentUpdate>

const translations = translationsOf('Incident', { name })
const incidentFields = { name, severity: Severity, services, translations: Type.Optional(translations) }

export const NewIncident = Type.Object(
  { ...incidentFields, incidentUpdates: Type.Array(NewIncidentUpdate, { minItems: 1, maxItems: 1 }) },
  { ...closed, title: 'NewIncident' },
)
export type NewIncident = Static<typeof NewIncident>

/** Only what is sent changes. */
export const IncidentChanges = Type.Object(changesOf(incidentFields), { ...closed, title: 'IncidentChanges' })
export type IncidentChanges = Static<typeof IncidentChanges>

const summary = {
  id,
  name,
  translations,
  severity: Severity,
  services: Type.Array(Service),
  lastUpdateStatus: Status,
  duration: nullable(Type.Integer(), { description: 'Seconds; until now while it is open' }),
  created_at: DateTime,
  updated_at: DateTimeOrNull,
}

/** An incident without its updates, as its status pages list it. */
export const IncidentSummary = Type.Object(summary, { title: 'IncidentSummary' })
export type IncidentSummary = Static<typeof IncidentSummary>

export const Incident = Type.Object(
  {
    ...summary,
    incidentUpdates: Type.Array(IncidentUpdate, { description: 'The newest 100, newest first' }),
  },
  { title: 'Incident' },
)
export type Incident = Static<typeof Incident>

/** What answers to writes say beside it. */
export const WrittenIncident = Type.Object(
  {
    ...Incident.properties,
    warnings: Type.Optional(
      Type.Array(Type.Object({ message: Type.String() }, { title: 'IncidentWarning' }), {
        description: 'Why nobody sees it',
      }),
    ),
  },
  { title: 'WrittenIncident' },
)
export type WrittenIncident = Static<typeof WrittenIncident>

export const IncidentPage = pageOf(Incident, 'IncidentPage')
export const IncidentId = Type.Object({ incidentId: id })
export const IncidentUpdateId = Type.Object({ incidentId: id, incidentUpdateId: id })

export const exampleNewUpdate = {
  description: 'We are looking into failing payments.',
  translations: { de: { description: 'Wir untersuchen, warum Zahlungen fehlschlagen.' } },
}

export const exampleUpdate = {
  id: '7f0e1f5b-6a39-4d0c-9a0e-1b8f6d3c2a54',
  ...exampleNewUpdate,
  status: 'INVESTIGATING',
  publicIncidentUpdateDate: '2026-01-05T10:00:00.000Z',
  notifySubscribers: false,
  created_at: '2026-01-05T10:00:00.000Z',
}

export const exampleNewIncident = {
  name: 'Payments fail',
  translations: { de: { name: 'Zahlungen schlagen fehl' } },
  severity: 'MAJOR',
  services: [{ id: exampleService.id }],
  incidentUpdates: [exampleNewUpdate],
}

export const exampleSummary = {
  id: 'c2a1d7e4-5b0f-4f7a-8c3d-2e9b6a1f0d38',
  name: 'Payments fail',
  translations: { de: { name: 'Zahlungen schlagen fehl' } },
  severity: 'MAJOR',
  services: [exampleService],
  lastUpdateStatus: 'INVESTIGATING',
  duration: 540,
  created_at: '2026-01-05T10:00:00.000Z',
  updated_at: null,
}

export const exampleIncident = { ...exampleSummary, incidentUpdates: [exampleUpdate] }

/** What a check may ask for when it fails: an incident on a status page. */
export const TriggerIncident = Type.Object(
  {
    serviceId: Type.String({ minLength: 1, maxLength: 64 }),
    name: Type.String({ minLength: 1, maxLength: 255 }),
    description: Type.Optional(Type.String({ maxLength: 2000, default: '' })),
    ...changesOf({
      translations: translationsOf('TriggerIncident', {
        name,
        description: Type.String({ minLength: 1, maxLength: 2000 }),
      }),
    }),
    severity: Type.Optional(Type.Enum(['CRITICAL', 'MAJOR', 'MEDIUM', 'MINOR'], { default: 'MINOR' })),
    notifySubscribers: Type.Optional(Type.Boolean({ default: true })),
  },
  { additionalProperties: false, title: 'TriggerIncident' },
)
