/** From incidents and maintenance to the state of a service, and of the page. Pure. */
import { type State, states } from '../../communication/stored-pages/words/words.ts'
import type { IncidentView, MaintenanceView } from './model.ts'

const bySeverity: Record<string, State> = {
  CRITICAL: 'major',
  MAJOR: 'partial',
  MEDIUM: 'degraded',
  MINOR: 'degraded',
  UNDER_MAINTENANCE: 'maintenance',
}

export const stateOfSeverity = (severity: string): State => bySeverity[severity] ?? 'degraded'

const worst = (all: readonly State[]): State =>
  states[Math.max(0, ...all.map((each) => states.indexOf(each)))] ?? 'unknown'

export const isUnderWay = ({ status }: Pick<MaintenanceView, 'status'>): boolean =>
  status === 'IN_PROGRESS' || status === 'VERIFYING'

type Named = { services: ReadonlyArray<{ id: string }> }
type Affecting = Pick<IncidentView, 'severity'> & Named
type Maintained = Pick<MaintenanceView, 'status'> & Named

/** How a check of a service is now, and how bad the incident is that it opens. */
export type ServiceCheck = {
  state: 'passing' | 'degraded' | 'failing' | 'unknown' | 'stale'
  severity: string
}

const stateOfCheck = ({ state, severity }: ServiceCheck): State => {
  if (state === 'failing') return stateOfSeverity(severity)
  if (state === 'degraded') return 'degraded'
  return state === 'passing' ? 'operational' : 'unknown'
}

type Happening = {
  open: readonly Affecting[]
  maintenance: readonly Maintained[]
  checks: readonly ServiceCheck[]
}

const hitsOf =
  (serviceId: string) =>
  ({ services }: Named): boolean =>
    services.some(({ id }) => id === serviceId)

export const isWorkedOn = (serviceId: string, maintenance: readonly Maintained[]): boolean =>
  maintenance.some((each) => isUnderWay(each) && hitsOf(serviceId)(each))

/** What has happened to a service outweighs that it is worked on; what its checks say meanwhile is expected. */
export const serviceState = (serviceId: string, { open, maintenance, checks }: Happening): State => {
  return worst([
    ...open.filter(hitsOf(serviceId)).map(({ severity }) => stateOfSeverity(severity)),
    ...(isWorkedOn(serviceId, maintenance) ? ['maintenance' as const] : checks.map(stateOfCheck)),
  ])
}

/** One service of several that is wholly down is not all of them. */
export const pageState = (
  services: readonly State[],
  open: readonly Affecting[],
  maintenance: readonly Maintained[],
): State =>
  worst([
    ...services,
    ...open.map(({ severity }) => stateOfSeverity(severity)),
    ...maintenance.filter(isUnderWay).map((): State => 'maintenance'),
  ])
