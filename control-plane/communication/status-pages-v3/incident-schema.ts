/** Incidents of one page, with what they do to each of its components. */
import { type Static, Type } from 'typebox'
import { pageOf } from '../../platform/words/shapes/cursor.ts'
import { DateTime, DateTimeOrNull } from '../../platform/words/shapes/instants.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { impactNames } from '../incidents/impacts.ts'
import { exampleUpdate, IncidentUpdate, NewIncidentUpdate } from '../incidents/schema.ts'
import { incidentStatuses } from '../incidents/timeline.ts'
import { exampleComponent } from './component-schema.ts'

const closed = { additionalProperties: false }
const id = Type.String({ format: 'uuid' })
const name = Type.String({ minLength: 1, maxLength: 255 })
const Impact = Type.Enum([...impactNames])
const NewImpact = Type.Enum(['OPERATIONAL', ...impactNames], {
  default: 'MAJOR_OUTAGE',
  description: 'OPERATIONAL: it is over for this component',
})

const ComponentImpact = Type.Object(
  { componentId: id, impact: Type.Optional(NewImpact) },
  { ...closed, title: 'NewComponentImpact' },
)
export type NewComponentImpact = Static<typeof ComponentImpact>
const newImpacts = Type.Array(ComponentImpact, { maxItems: 100 })

/** Left out, components stay as they are. */
export const NewUpdateV3 = Type.Object(
  { ...NewIncidentUpdate.properties, componentImpacts: Type.Optional(newImpacts) },
  { ...closed, title: 'NewIncidentUpdateV3' },
)

export const NewIncidentV3 = Type.Object(
  {
    name,
    incidentUpdates: Type.Array(NewIncidentUpdate, { minItems: 1, maxItems: 1 }),
    componentImpacts: Type.Optional(newImpacts),
  },
  { ...closed, title: 'NewIncidentV3' },
)

export const IncidentV3Changes = Type.Object({ name }, { ...closed, title: 'IncidentV3Changes' })

const moments = {
  startedAt: Type.String({ format: 'date-time' }),
  endedAt: nullable(Type.String({ format: 'date-time' }), {
    default: null,
    description: 'Null: it lasts until the incident is over',
  }),
}
export const ImpactTimeline = Type.Object(
  {
    componentImpacts: Type.Array(
      Type.Object(
        {
          componentId: id,
          impact: Type.Optional(Type.Enum([...impactNames], { default: 'MAJOR_OUTAGE' })),
          startedAt: moments.startedAt,
          endedAt: Type.Optional(moments.endedAt),
        },
        { ...closed, title: 'NewImpactSpan' },
      ),
      { maxItems: 500 },
    ),
  },
  { ...closed, title: 'ImpactTimeline' },
)
export type ImpactTimeline = Static<typeof ImpactTimeline>

export const IncidentV3 = Type.Object(
  {
    ...{ id, statusPageId: id, name },
    status: Type.Enum([...incidentStatuses]),
    impact: nullable(Impact, { description: 'The worst that goes on; null: none' }),
    componentImpacts: Type.Array(
      Type.Object(
        { componentId: id, impact: Impact, startedAt: DateTime, endedAt: DateTimeOrNull },
        { title: 'ComponentImpact' },
      ),
    ),
    incidentUpdates: Type.Array(IncidentUpdate, { description: 'The newest 100, newest first' }),
    startedAt: DateTimeOrNull,
    resolvedAt: DateTimeOrNull,
    ...{ created_at: DateTime, updated_at: DateTimeOrNull },
  },
  { title: 'IncidentV3' },
)
export type IncidentV3 = Static<typeof IncidentV3>
export const IncidentV3Page = pageOf(IncidentV3, 'IncidentV3Page')

export const IncidentV3Id = Type.Object({ statusPageId: id, incidentId: id })
export const UpdateV3Id = Type.Object({ statusPageId: id, incidentId: id, incidentUpdateId: id })

export const exampleNewIncidentV3 = {
  name: 'Payments fail',
  incidentUpdates: [{ description: 'We look into it.', status: 'INVESTIGATING' }],
  componentImpacts: [{ componentId: exampleComponent.id, impact: 'PARTIAL_OUTAGE' }],
}
export const exampleIncidentV3 = {
  id: 'c2a1d7e4-5b0f-4f7a-8c3d-2e9b6a1f0d38',
  statusPageId: exampleComponent.statusPageId,
  name: 'Payments fail',
  status: 'INVESTIGATING',
  impact: 'PARTIAL_OUTAGE',
  componentImpacts: [
    {
      ...{ componentId: exampleComponent.id, impact: 'PARTIAL_OUTAGE' },
      ...{ startedAt: '2026-01-05T10:00:00.000Z', endedAt: null },
    },
  ],
  incidentUpdates: [exampleUpdate],
  startedAt: '2026-01-05T10:00:00.000Z',
  resolvedAt: null,
  created_at: '2026-01-05T10:00:00.000Z',
  updated_at: null,
}
