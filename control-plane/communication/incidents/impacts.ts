/** What an incident did to each of its services, and when: said by version 3, derived where only a severity was said. Pure. */
import { type Static, Type } from 'typebox'
import { storedList } from '../../platform/store/database/stored-doc.ts'
import type { IncidentsTable } from '../../platform/store/database/tables/status-pages.ts'

/** From the least to the worst. */
export const impactNames = [
  'UNDER_MAINTENANCE',
  'DEGRADED_PERFORMANCE',
  'PARTIAL_OUTAGE',
  'MAJOR_OUTAGE',
] as const
export type Impact = (typeof impactNames)[number]

/** `to`: epoch milliseconds; null: until the incident is over. */
const StoredImpact = Type.Object(
  {
    serviceId: Type.String(),
    impact: Type.Enum([...impactNames]),
    from: Type.Number(),
    to: Type.Unsafe<number | null>({ type: ['number', 'null'] }),
  },
  { additionalProperties: false },
)
export type StoredImpact = Static<typeof StoredImpact>
export const impactsDoc = storedList({ name: 'impacts of an incident', items: StoredImpact })

const severities: { [I in Impact]: string } = {
  UNDER_MAINTENANCE: 'MINOR',
  DEGRADED_PERFORMANCE: 'MEDIUM',
  PARTIAL_OUTAGE: 'MAJOR',
  MAJOR_OUTAGE: 'CRITICAL',
}

const bySeverity: { readonly [severity: string]: Impact } = {
  MEDIUM: 'DEGRADED_PERFORMANCE',
  MAJOR: 'PARTIAL_OUTAGE',
  CRITICAL: 'MAJOR_OUTAGE',
}

export const severityOfImpact = (impact: Impact): string => severities[impact]

/** Of the worst that goes on, or that was. */
export const severityOf = (impacts: readonly StoredImpact[]): string => {
  const open = impacts.filter(({ to }) => to === null)
  const ranks = (open.length > 0 ? open : impacts).map(({ impact }) => impactNames.indexOf(impact))
  return severities[impactNames[Math.max(0, ...ranks)] ?? 'UNDER_MAINTENANCE']
}

type Told = Pick<IncidentsTable, 'impacts' | 'severity' | 'started_at' | 'resolved_at'>

/** Of an incident on these services; those that end with it end when it did. Empty where it lasted no known time. */
export const impactsOf = (incident: Told, serviceIds: readonly string[]): StoredImpact[] => {
  const { severity, started_at: from, resolved_at: over } = incident
  const said = impactsDoc.read(incident.impacts)
  const impact = bySeverity[severity] ?? 'DEGRADED_PERFORMANCE'
  const derived = from === null ? [] : serviceIds.map((serviceId) => ({ serviceId, impact, from, to: null }))
  return (said.length > 0 ? said.filter(({ serviceId }) => serviceIds.includes(serviceId)) : derived).map(
    (each) => ({ ...each, to: each.to ?? over }),
  )
}
