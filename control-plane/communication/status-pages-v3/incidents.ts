/** Reading and writing the incidents of a page as version 3 says them. */
import type { Violation } from '../../../protocol/validate.ts'
import type { App } from '../../platform/app/app.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { IncidentsTable } from '../../platform/store/database/tables/status-pages.ts'
import { invalid, notFound, violation } from '../../platform/words/errors.ts'
import { readInstant, toIso, toIsoOrNull } from '../../platform/words/shapes/instants.ts'
import { impactNames, impactsDoc, impactsOf, type StoredImpact, severityOf } from '../incidents/impacts.ts'
import {
  findIncident,
  lockIncident,
  pagesOfIncident,
  servicesOfIncidents,
  updateIncident,
} from '../incidents/queries.ts'
import { linkServices } from '../incidents/save-incident.ts'
import { serializeIncidentUpdate, shownUpdates } from '../incidents/serialize-incident.ts'
import type { IncidentStatus } from '../incidents/timeline.ts'
import { updatesOfIncidents } from '../incidents/update-queries.ts'
import { findPage } from '../stored-pages/queries.ts'
import { readComponents } from './components.ts'
import type { ImpactTimeline, IncidentV3, NewComponentImpact } from './incident-schema.ts'

type OnPage = { pageId: string; accountId: string }
type OneIncident = OnPage & { incidentId: string }

/** @throws ApiError 404 */
export const requirePage = async (db: Db, { pageId: id, accountId }: OnPage): Promise<void> => {
  if (!(await db.get(findPage, { id, accountId }))) throw notFound()
}

/** One that the page shows. @throws ApiError 404 */
export const findOnPage = async (
  db: Db,
  { pageId, accountId, incidentId: id }: OneIncident,
): Promise<IncidentsTable> => {
  const row = await db.get(findIncident, { id, accountId })
  const pages = row === undefined ? [] : await db.all(pagesOfIncident, { incidentId: row.id })
  if (row === undefined || !pages.some((page) => page.id === pageId.toLowerCase())) throw notFound()
  return row
}

/** As they stand, in the order given. */
export const presentIncidents = async (
  db: Db,
  pageId: string,
  rows: readonly IncidentsTable[],
): Promise<IncidentV3[]> => {
  const ids = rows.map(({ id }) => id)
  const services = Map.groupBy(await db.all(servicesOfIncidents, { ids }), (row) => row.incident_id)
  const updates = Map.groupBy(
    await db.all(updatesOfIncidents, { ids, limit: shownUpdates }),
    (row) => row.incident_id,
  )
  return rows.map((row) => {
    const serviceIds = (services.get(row.id) ?? []).map(({ id }) => id)
    const impacts = impactsOf(row, serviceIds)
    return {
      ...{ id: row.id, statusPageId: pageId, name: row.name, status: row.status as IncidentStatus },
      impact: worst(impacts),
      componentImpacts: impacts.map(({ serviceId, impact, from, to }) => ({
        ...{ componentId: serviceId, impact, startedAt: toIso(from), endedAt: toIsoOrNull(to) },
      })),
      incidentUpdates: (updates.get(row.id) ?? []).map(serializeIncidentUpdate),
      ...{ startedAt: toIsoOrNull(row.started_at), resolvedAt: toIsoOrNull(row.resolved_at) },
      ...{ created_at: toIso(row.created_at), updated_at: toIsoOrNull(row.updated_at) },
    }
  })
}

const worst = (impacts: readonly StoredImpact[]): IncidentV3['impact'] => {
  const open = impacts.filter(({ to }) => to === null).map(({ impact }) => impactNames.indexOf(impact))
  return impactNames[Math.max(-1, ...open)] ?? null
}

type NamedComponents = { named: readonly { componentId: string }[]; isOnce: boolean; list?: string }

/** Each must be a SERVICE of the page, named once. @throws ApiError 400 */
export const requireComponents = async (
  db: Db,
  pageId: string,
  { named, isOnce, list = 'componentImpacts' }: NamedComponents,
): Promise<void> => {
  const components = named.length === 0 ? [] : await readComponents(db, pageId.toLowerCase())
  const known = new Set(components.filter(({ type }) => type === 'SERVICE').map(({ id }) => id))
  const violations = named.flatMap(({ componentId }, at): Violation[] => {
    const path = `${list}.${at}.componentId`
    if (!known.has(componentId)) return [violation(path, 'exists', 'is no SERVICE of the page')]
    const isRepeated = named.findIndex((each) => each.componentId === componentId) < at
    return isOnce && isRepeated ? [violation(path, 'unique', 'is named twice')] : []
  })
  if (violations.length > 0) throw invalid(violations)
}

type Changed = Pick<IncidentsTable, 'impacts' | 'severity'>

/** From `at` on the named components are as the update says; the others stay. */
export const withImpacts = async (
  trx: Db,
  incident: IncidentsTable,
  { named, at }: { named: readonly NewComponentImpact[]; at: number },
): Promise<Changed> => {
  const services = await trx.all(servicesOfIncidents, { ids: [incident.id] })
  const said = impactsOf(
    { ...incident, resolved_at: null },
    services.map(({ id }) => id),
  )
  const ids = new Set(named.map(({ componentId }) => componentId))
  const kept = said
    .map((each) =>
      each.to === null && ids.has(each.serviceId) ? { ...each, to: Math.max(each.from, at) } : each,
    )
    .filter(({ from, to }) => from !== to)
  const begun = named.flatMap(({ componentId, impact = 'MAJOR_OUTAGE' }): StoredImpact[] =>
    impact === 'OPERATIONAL' ? [] : [{ serviceId: componentId, impact, from: at, to: null }],
  )
  return written(trx, incident, [...kept, ...begun])
}

const written = async (
  trx: Db,
  incident: IncidentsTable,
  impacts: readonly StoredImpact[],
): Promise<Changed> => {
  const ids = [...new Set(impacts.map(({ serviceId }) => serviceId))]
  await linkServices(
    trx,
    incident,
    ids.map((id) => ({ id })),
  )
  return { impacts: impactsDoc.write([...impacts]), severity: severityOf(impacts) }
}

/** Replaces all that was said of the incident's impacts, also of the past. @throws ApiError 400, 404 */
export const replaceImpacts = (
  app: App,
  one: OneIncident,
  { componentImpacts }: ImpactTimeline,
): Promise<IncidentsTable> => {
  const now = app.clock.now()
  const impacts = componentImpacts.map(spanOf)
  return app.db.transaction(async (trx) => {
    const { id } = await findOnPage(trx, one)
    const incident = await trx.get(lockIncident, { id, accountId: one.accountId })
    if (!incident) throw notFound()
    await requireComponents(trx, one.pageId, { named: componentImpacts, isOnce: false })
    const changes = await written(trx, incident, impacts)
    const row = { ...incident, ...changes, updated_at: now, version: incident.version + 1 }
    await trx.run(updateIncident, row)
    return row
  })
}

const spanOf = (
  {
    componentId,
    impact = 'MAJOR_OUTAGE',
    startedAt,
    endedAt = null,
  }: ImpactTimeline['componentImpacts'][number],
  at: number,
): StoredImpact => {
  const path = `componentImpacts.${at}`
  const from = readInstant(startedAt)
  const to = endedAt === null ? null : readInstant(endedAt)
  if (from === null || (endedAt !== null && to === null))
    throw invalid([
      violation(`${path}.startedAt`, 'instant', 'and endedAt must be moments from 1970 to 2999'),
    ])
  if (to !== null && to <= from)
    throw invalid([violation(`${path}.endedAt`, 'order', 'must be after "startedAt"')])
  return { serviceId: componentId, impact, from, to }
}
