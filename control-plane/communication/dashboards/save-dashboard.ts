import type { App } from '../../platform/app/app.ts'
import type { HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import { nextNumber } from '../../platform/store/database/counters.ts'
import type { DashboardsTable } from '../../platform/store/database/tables/dashboards.ts'
import { requireVersion } from '../../platform/web/http/request/entity-tag.ts'
import { ApiError, notFound } from '../../platform/words/errors.ts'
import { newPageKey } from '../status-pages/page-key.ts'
import { freeNamesOfPage } from '../stored-pages/queries.ts'
import { type PageNames, takeNames } from '../stored-pages/take-names.ts'
import { deleteIncidentsOfDashboard } from './incident-queries.ts'
import {
  countDashboards,
  deleteDashboard,
  insertDashboard,
  lockDashboard,
  updateDashboard,
} from './queries.ts'
import { type DashboardChanges, type DashboardDoc, dashboardDoc } from './schema.ts'

/** `rawKey`: the key of one that has just become private. */
export type SavedDashboard = { row: DashboardsTable; rawKey: string | null }

/** Of an account. */
const mostDashboards = 1000

/** @throws ApiError 409 */
export const createDashboard = (
  app: App & HasRandomBytes,
  accountId: string,
  body: DashboardChanges,
): Promise<SavedDashboard> => {
  const now = app.clock.now()
  const dashboardId = app.newId()
  const customUrl = body.customUrl ?? app.randomBytes(6).toString('hex')
  return app.db.transaction(async (trx) => {
    if ((await countDashboards(trx, accountId)) >= mostDashboards)
      throw new ApiError(409, `An account has at most ${mostDashboards} dashboards`)
    const empty = {
      ...{ id: await nextNumber(trx, 'dashboard'), account_id: accountId, dashboard_id: dashboardId },
      ...{ custom_url: '', custom_domain: null, domain_seen_at: null, domain_checked_at: null },
      ...{ key_id: null, key_hash: null, key_masked: null, key_created_at: null },
      ...{ created_at: now, updated_at: null, version: 1, doc: '{}' },
    }
    const saved = changed(app, empty, { ...body, customUrl })
    await takeNames(trx, namesOf(undefined, saved.row))
    await trx.run(insertDashboard, saved.row)
    return saved
  })
}

type Change = {
  dashboardId: string
  accountId: string
  changes: DashboardChanges
  ifMatch: string | undefined
}

/** Only what is sent changes. @throws ApiError 404, 409, 412 */
export const changeDashboard = (
  app: App & HasRandomBytes,
  { changes, ifMatch, ...one }: Change,
): Promise<SavedDashboard> => {
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    const before = await trx.get(lockDashboard, one)
    if (!before) throw notFound()
    requireVersion(ifMatch, before.version)
    const saved = changed(app, { ...before, updated_at: now, version: before.version + 1 }, changes)
    await takeNames(trx, namesOf(before, saved.row))
    await trx.run(updateDashboard, saved.row)
    return saved
  })
}

/** With its incidents. @throws ApiError 404 */
export const removeDashboard = (app: App, one: { dashboardId: string; accountId: string }): Promise<void> =>
  app.db.transaction(async (trx) => {
    const row = await trx.get(lockDashboard, one)
    if (!row) throw notFound()
    const { id } = row
    await trx.run(deleteIncidentsOfDashboard, { id })
    await trx.run(freeNamesOfPage, { pageId: row.dashboard_id })
    await trx.run(deleteDashboard, { id, accountId: one.accountId })
  })

/** The row as the changes make it; what was proven of another domain says nothing of this one. */
const changed = (
  app: App & HasRandomBytes,
  row: DashboardsTable,
  { customUrl, customDomain, ...rest }: DashboardChanges,
): SavedDashboard => {
  const sent = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  const doc = { ...dashboardDoc.read(row.doc), ...sent } as DashboardDoc
  const domain = customDomain === undefined ? row.custom_domain : (customDomain?.toLowerCase() ?? null)
  const isSame = domain === row.custom_domain
  const written = {
    ...row,
    custom_url: (customUrl ?? row.custom_url).toLowerCase(),
    custom_domain: domain,
    domain_seen_at: isSame ? row.domain_seen_at : null,
    domain_checked_at: isSame ? row.domain_checked_at : null,
    doc: dashboardDoc.write(doc),
  }
  if (!doc.isPrivate)
    return {
      row: { ...written, key_id: null, key_hash: null, key_masked: null, key_created_at: null },
      rawKey: null,
    }
  if (row.key_hash !== null) return { row: written, rawKey: null }
  const { rawKey, row: key } = newPageKey(app)
  return {
    row: {
      ...written,
      ...{ key_id: key.id, key_hash: key.hash, key_masked: key.masked, key_created_at: key.created_at },
    },
    rawKey,
  }
}

const namesOf = (before: DashboardsTable | undefined, after: DashboardsTable): PageNames => ({
  pageId: after.dashboard_id,
  of: 'dashboard',
  names: [
    { kind: 'DASHBOARD', field: 'customUrl', was: before?.custom_url ?? null, is: after.custom_url },
    { kind: 'DOMAIN', field: 'customDomain', was: before?.custom_domain ?? null, is: after.custom_domain },
  ],
})
