import type { App } from '../../platform/app/app.ts'
import type { HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { StatusPagesTable } from '../../platform/store/database/tables/status-pages.ts'
import { requireVersion } from '../../platform/web/http/request/entity-tag.ts'
import { notFound } from '../../platform/words/errors.ts'
import { deleteRulesOfPage } from '../incidents/rule-queries.ts'
import { holdWindows, unlinkFromWindows } from '../maintenance-windows/unlink.ts'
import { deleteSubscriptionsOfPage } from '../status-page-subscriptions/queries.ts'
import type { ThemeColors } from '../stored-pages/branding.ts'
import { deleteCardServicesOfPage, deleteCardsOfPage } from '../stored-pages/card-queries.ts'
import { type PageDoc, type PageExtras, pageDoc } from '../stored-pages/page-doc.ts'
import {
  deleteKeysOfPage,
  deletePage,
  freeNamesOfPage,
  insertPage,
  insertPageKey,
  lockPage,
  updatePage,
} from '../stored-pages/queries.ts'
import { type PageNames, takeNames } from '../stored-pages/take-names.ts'
import { type NewPageKey, newPageKey } from './page-key.ts'
import { deletePublication } from './publication-queries.ts'
import { writeCards } from './save-cards.ts'
import type { NewStatusPage, StatusPageChanges } from './schema.ts'

/** As versions write it: without cards they stay. */
type PageWrite = Omit<StatusPageChanges, 'cards'> & Partial<Pick<NewStatusPage, 'cards'> & PageExtras>

/** `rawKey`: the password of a page that has just become private. */
export type SavedPage = { row: StatusPagesTable; rawKey: string | null }

/** @throws ApiError 400, 409 */
export const createPage = (
  app: App & HasRandomBytes,
  accountId: string,
  body: PageWrite,
): Promise<SavedPage> => {
  const now = app.clock.now()
  const key = newPageKey(app)
  const row: StatusPagesTable = {
    id: app.newId(),
    account_id: accountId,
    ...columnsOf(body, undefined),
    created_at: now,
    updated_at: null,
    version: 1,
  }
  return app.db.transaction(async (trx) => {
    await takeNames(trx, namesOf(undefined, row))
    await trx.run(insertPage, row)
    await writeCards(trx, { page: row, cards: body.cards ?? [], now, newId: app.newId })
    return { row, rawKey: await syncKey(trx, row, { wasPrivate: false, key }) }
  })
}

type Change = { id: string; accountId: string; changes: PageWrite; ifMatch: string | undefined }

/** @throws ApiError 400, 404, 409, 412 */
export const changePage = (
  app: App & HasRandomBytes,
  { id, accountId, changes, ifMatch }: Change,
): Promise<SavedPage> => {
  const now = app.clock.now()
  const key = newPageKey(app)
  return app.db.transaction(async (trx) => {
    const before = await trx.get(lockPage, { id, accountId })
    if (!before) throw notFound()
    requireVersion(ifMatch, before.version)
    const columns = columnsOf(changes, before)
    const row: StatusPagesTable = { ...before, ...columns, updated_at: now, version: before.version + 1 }
    await takeNames(trx, namesOf(before, row))
    await trx.run(updatePage, row)
    const { cards } = changes
    if (cards !== undefined) await writeCards(trx, { page: row, cards, now, newId: app.newId })
    return { row, rawKey: await syncKey(trx, row, { wasPrivate: pageDoc.read(before.doc).isPrivate, key }) }
  })
}

/** With its cards, keys and subscriptions; services and incidents stay. @throws ApiError 404 */
export const removePage = (app: App, id: string, accountId: string): Promise<void> => {
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    await holdWindows(trx, accountId)
    if ((await trx.run(deletePage, { id, accountId })) === 0) throw notFound()
    await trx.run(freeNamesOfPage, { pageId: id })
    await trx.run(deleteCardServicesOfPage, { pageId: id })
    await trx.run(deleteCardsOfPage, { pageId: id })
    await trx.run(deleteKeysOfPage, { pageId: id })
    await trx.run(deletePublication, { pageId: id })
    await trx.run(deleteSubscriptionsOfPage, { pageId: id })
    await trx.run(deleteRulesOfPage, { pageId: id })
    await unlinkFromWindows(trx, { accountId, list: 'statusPageIds', id, now })
  })
}

const columnsOf = (
  { url, cards: _, customDomain, ...rest }: PageWrite,
  before: StatusPagesTable | undefined,
) => {
  const sent = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  const doc = { ...pageDoc.read(before?.doc ?? '{}'), ...sent } as PageDoc
  const domain = customDomain === undefined ? (before?.custom_domain ?? null) : customDomain
  return {
    url: url.toLowerCase(),
    custom_domain: domain?.toLowerCase() ?? null,
    doc: pageDoc.write({ ...doc, themeColors: upperCase(doc.themeColors) }),
  }
}

const upperCase = (colors: ThemeColors | null): ThemeColors | null =>
  colors === null ? null : { light: inUpperCase(colors.light), dark: inUpperCase(colors.dark) }

const inUpperCase = (palette: ThemeColors['light']): ThemeColors['light'] =>
  Object.fromEntries(
    Object.entries(palette).map(([name, color]) => [name, color.toUpperCase()]),
  ) as ThemeColors['light']

const namesOf = (before: StatusPagesTable | undefined, after: StatusPagesTable): PageNames => ({
  pageId: after.id,
  of: 'status page',
  names: [
    { kind: 'URL', field: 'url', was: before?.url ?? null, is: after.url },
    { kind: 'DOMAIN', field: 'customDomain', was: before?.custom_domain ?? null, is: after.custom_domain },
  ],
})

/** A page that becomes private gets a password, one that becomes public loses it. */
const syncKey = async (
  trx: Db,
  page: StatusPagesTable,
  { wasPrivate, key }: { wasPrivate: boolean; key: NewPageKey },
): Promise<string | null> => {
  const { isPrivate } = pageDoc.read(page.doc)
  if (isPrivate === wasPrivate) return null
  if (!isPrivate) {
    await trx.run(deleteKeysOfPage, { pageId: page.id })
    return null
  }
  await trx.run(insertPageKey, { ...key.row, account_id: page.account_id, status_page_id: page.id })
  return key.rawKey
}
