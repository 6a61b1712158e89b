import type { App } from '../../platform/app/app.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { IncidentsTable } from '../../platform/store/database/tables/status-pages.ts'
import { requireVersion } from '../../platform/web/http/request/entity-tag.ts'
import { notFound } from '../../platform/words/errors.ts'
import { requireServices } from '../status-page-services/require-services.ts'
import { translationsDoc } from '../stored-pages/translations.ts'
import { type Impact, impactsDoc, type StoredImpact, severityOf } from './impacts.ts'
import { announceUpdate, updateRow } from './incident-updates.ts'
import {
  deleteIncident,
  deleteServicesOfIncident,
  insertIncident,
  insertIncidentService,
  lockIncident,
  updateIncident,
} from './queries.ts'
import type { IncidentChanges, NewIncident, NewIncidentUpdate } from './schema.ts'
import { timelineOf } from './timeline.ts'
import { deleteUpdatesOfIncident, insertIncidentUpdate } from './update-queries.ts'

/** `told`: where alone, and what it does to its services, where that is said. */
type Told = { statusPageId: string; impacts: readonly { serviceId: string; impact: Impact }[] }

/** @throws ApiError 400 */
export const createIncident = (
  app: App,
  accountId: string,
  body: Omit<NewIncident, 'severity'> & Partial<Pick<NewIncident, 'severity'>>,
  told?: Told,
): Promise<IncidentsTable> => {
  const now = app.clock.now()
  const id = app.newId()
  const [first] = body.incidentUpdates as [NewIncidentUpdate]
  const update = updateRow(first, {
    id: app.newId(),
    incidentId: id,
    accountId,
    now,
    path: 'incidentUpdates.0.',
    status: 'INVESTIGATING',
  })
  const { status, startedAt, resolvedAt } = timelineOf([{ at: update.published_at, status: update.status }])
  const from = update.published_at
  const impacts = (told?.impacts ?? []).map((each): StoredImpact => ({ ...each, from, to: null }))
  const row: IncidentsTable = {
    id,
    account_id: accountId,
    status_page_id: told?.statusPageId ?? null,
    impacts: impactsDoc.write(impacts),
    name: body.name,
    translations: translationsDoc.write(body.translations ?? {}),
    severity: body.severity ?? severityOf(impacts),
    status,
    started_at: startedAt,
    resolved_at: resolvedAt,
    created_at: now,
    updated_at: null,
    version: 1,
  }
  return app.db.transaction(async (trx) => {
    await trx.run(insertIncident, row)
    await linkServices(trx, row, body.services)
    await trx.run(insertIncidentUpdate, update)
    await announceUpdate(trx, update)
    return row
  })
}

type Change = { id: string; accountId: string; changes: IncidentChanges; ifMatch: string | undefined }

/** Only what is sent changes. @throws ApiError 400, 404, 412 */
export const changeIncident = (
  app: App,
  { id, accountId, changes, ifMatch }: Change,
): Promise<IncidentsTable> => {
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    const before = await trx.get(lockIncident, { id, accountId })
    if (!before) throw notFound()
    requireVersion(ifMatch, before.version)
    const row: IncidentsTable = {
      ...before,
      name: changes.name ?? before.name,
      translations: changes.translations ? translationsDoc.write(changes.translations) : before.translations,
      severity: changes.severity ?? before.severity,
      updated_at: now,
      version: before.version + 1,
    }
    if (changes.services) await linkServices(trx, row, changes.services)
    // Who says anew how bad it is, or for what, says it of all of it.
    if (row.severity !== before.severity || isForOthers(before, changes.services))
      row.impacts = impactsDoc.write([])
    await trx.run(updateIncident, row)
    return row
  })
}

const isForOthers = (
  { impacts }: IncidentsTable,
  services: readonly { id: string }[] | undefined,
): boolean => {
  if (services === undefined) return false
  const known = new Set(impactsDoc.read(impacts).map(({ serviceId }) => serviceId))
  return services.length !== known.size || services.some(({ id }) => !known.has(id))
}

/** With its updates. @throws ApiError 404 */
export const removeIncident = (app: App, id: string, accountId: string): Promise<void> =>
  app.db.transaction(async (trx) => {
    if ((await trx.run(deleteIncident, { id, accountId })) === 0) throw notFound()
    await trx.run(deleteServicesOfIncident, { incidentId: id })
    await trx.run(deleteUpdatesOfIncident, { incidentId: id })
  })

export const linkServices = async (
  trx: Db,
  { id, account_id: accountId }: IncidentsTable,
  services: readonly { id: string }[],
): Promise<void> => {
  await requireServices(trx, accountId, [{ path: 'services', services }])
  await trx.run(deleteServicesOfIncident, { incidentId: id })
  for (const [position, service] of services.entries())
    await trx.run(insertIncidentService, { incidentId: id, serviceId: service.id, accountId, position })
}
