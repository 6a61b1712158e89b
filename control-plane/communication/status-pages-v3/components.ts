/** Reading and writing components, under the lock of their page. */
import type { HasUsers } from '../../access/snippets/require-unused.ts'
import type { App } from '../../platform/app/app.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { StatusPagesTable } from '../../platform/store/database/tables/status-pages.ts'
import { ApiError, invalid, notFound, violation } from '../../platform/words/errors.ts'
import { toIso, toIsoOrNull } from '../../platform/words/shapes/instants.ts'
import { insertService, renameService } from '../status-page-services/queries.ts'
import {
  cardServicesOfPages,
  cardsOfPages,
  insertCard,
  insertCardService,
} from '../stored-pages/card-queries.ts'
import { componentDoc } from '../stored-pages/page-doc.ts'
import { lockPage, updatePage } from '../stored-pages/queries.ts'
import {
  changeCard,
  deleteCard,
  deleteCardService,
  deleteServicesOfCard,
  deleteUnusedService,
  moveCardServices,
} from './component-queries.ts'
import type { Component, ComponentWrite } from './component-schema.ts'

/** Of a page. */
const mostComponents = 1000

type OnePage = { pageId: string; accountId: string }

/** Oldest first. */
export const readComponents = async (db: Db, pageId: string): Promise<Component[]> => {
  const cards = await db.all(cardsOfPages, { pageIds: [pageId] })
  const services = await db.all(cardServicesOfPages, { pageIds: [pageId] })
  const groups = cards.filter(({ name }) => name !== '')
  const groupIds = new Set(groups.map(({ id }) => id))
  const asGroups = groups.map(
    (card): Component => ({
      ...{ id: card.id, statusPageId: pageId, type: 'GROUP', name: card.name, parentId: null },
      ...{ ...componentDoc.read(card.doc), displayOrder: card.position },
      ...{ created_at: toIso(card.created_at), updated_at: toIsoOrNull(card.updated_at) },
    }),
  )
  // Where a service is on several cards, the first one counts.
  const first = new Map(services.toReversed().map((row) => [row.id, row]))
  const asServices = [...first.values()].map(
    (row): Component => ({
      ...{ id: row.id, statusPageId: pageId, type: 'SERVICE', name: row.name },
      parentId: groupIds.has(row.card_id) ? row.card_id : null,
      ...{ ...componentDoc.read(row.doc), displayOrder: row.position },
      ...{ created_at: toIso(row.created_at), updated_at: toIsoOrNull(row.updated_at) },
    }),
  )
  const order = ({ created_at, id }: Component): string => `${created_at} ${id}`
  return [...asGroups, ...asServices].sort((a, b) => (order(a) < order(b) ? -1 : 1))
}

export const componentOf = (components: readonly Component[], id: string): Component => {
  const found = components.find((each) => each.id === id.toLowerCase())
  if (found === undefined) throw notFound()
  return found
}

/** @throws ApiError 400, 404, 409 */
export const createComponent = (app: App, one: OnePage, body: ComponentWrite): Promise<Component> => {
  const now = app.clock.now()
  const id = app.newId()
  return changing(app, one, async (trx, page, before) => {
    if (before.length >= mostComponents)
      throw new ApiError(409, `A status page has at most ${mostComponents} components`)
    requireParent(body, before)
    const { name, type } = body
    const own = { account_id: page.account_id, created_at: now, updated_at: null }
    if (type === 'GROUP') {
      const place = { status_page_id: page.id, id, position: body.displayOrder, name, translations: '{}' }
      await trx.run(insertCard, { ...own, ...place, doc: docOf(body) })
      return id
    }
    await trx.run(insertService, { ...own, id, name, translations: '{}' })
    await place(trx, app, { page, serviceId: id, body, now })
    return id
  })
}

/** Replaced as a whole. @throws ApiError 400, 404 */
export const changeComponent = (
  app: App,
  { id, ...one }: OnePage & { id: string },
  body: ComponentWrite,
): Promise<Component> => {
  const now = app.clock.now()
  return changing(app, one, async (trx, page, before) => {
    const known = componentOf(before, id)
    if (known.type !== body.type)
      throw invalid([violation('type', 'stays', `is ${known.type} and cannot be changed`)])
    requireParent(body, before)
    if (known.type === 'GROUP') {
      const change = { name: body.name, position: body.displayOrder, doc: docOf(body), now }
      await trx.run(changeCard, { pageId: page.id, id: known.id, ...change })
      return known.id
    }
    const named = { id: known.id, accountId: page.account_id, name: body.name, translations: null, now }
    await trx.get(renameService, named)
    await trx.run(deleteCardService, { pageId: page.id, serviceId: known.id })
    await place(trx, app, { page, serviceId: known.id, body, now })
    return known.id
  })
}

/**
 * A group lets go of what is in it; a service leaves this page, and is no more where nothing else knows it: no page, check or incident.
 * @throws ApiError 404
 */
export const removeComponent = (
  app: App & HasUsers,
  { id, ...one }: OnePage & { id: string },
): Promise<void> => {
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    const page = await touched(trx, one, now)
    const known = componentOf(await readComponents(trx, page.id), id)
    if (known.type === 'GROUP') {
      const root = await rootCard(trx, app, { page, now })
      await trx.run(moveCardServices, { pageId: page.id, from: known.id, to: root })
      await trx.run(deleteServicesOfCard, { pageId: page.id, id: known.id })
      await trx.run(deleteCard, { pageId: page.id, id: known.id })
      return
    }
    await trx.run(deleteCardService, { pageId: page.id, serviceId: known.id })
    const { accountId } = one
    const { checkIds, groupIds } = await app.lookups.usersOf(trx, accountId, { serviceId: known.id })
    if (checkIds.length + groupIds.length === 0)
      await trx.run(deleteUnusedService, { id: known.id, accountId })
  })
}

const docOf = ({ description, hidden, expandedByDefault }: ComponentWrite): string =>
  componentDoc.write({ description, hidden, expandedByDefault })

const requireParent = ({ type, parentId }: ComponentWrite, known: readonly Component[]): void => {
  if (parentId === null) return
  const problem =
    type === 'GROUP'
      ? 'of a GROUP must be null: groups stand in no other'
      : known.some((each) => each.id === parentId && each.type === 'GROUP')
        ? null
        : 'is no GROUP of the page'
  if (problem !== null) throw invalid([violation('parentId', 'exists', problem)])
}

/** The page as it is then: it has another version, so that its visitors see the change. */
const touched = async (
  trx: Db,
  { pageId: id, accountId }: OnePage,
  now: number,
): Promise<StatusPagesTable> => {
  const page = await trx.get(lockPage, { id, accountId })
  if (!page) throw notFound()
  await trx.run(updatePage, { ...page, updated_at: now, version: page.version + 1 })
  return page
}

const changing = (
  app: App,
  one: OnePage,
  work: (trx: Db, page: StatusPagesTable, before: readonly Component[]) => Promise<string>,
): Promise<Component> => {
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    const page = await touched(trx, one, now)
    const id = await work(trx, page, await readComponents(trx, page.id))
    return componentOf(await readComponents(trx, page.id), id)
  })
}

type Placed = { page: StatusPagesTable; serviceId: string; body: ComponentWrite; now: number }

const place = async (trx: Db, app: App, { page, serviceId, body, now }: Placed): Promise<void> => {
  const card_id = body.parentId ?? (await rootCard(trx, app, { page, now }))
  await trx.run(insertCardService, {
    ...{ status_page_id: page.id, card_id, service_id: serviceId, account_id: page.account_id },
    ...{ position: body.displayOrder, doc: docOf(body) },
  })
}

/** The card without a name, which is made when something needs it. */
const rootCard = async (
  trx: Db,
  app: App,
  { page, now }: { page: StatusPagesTable; now: number },
): Promise<string> => {
  const known = (await trx.all(cardsOfPages, { pageIds: [page.id] })).find(({ name }) => name === '')
  if (known !== undefined) return known.id
  const id = app.newId()
  await trx.run(insertCard, {
    ...{ status_page_id: page.id, id, account_id: page.account_id, position: -1, name: '' },
    ...{ translations: '{}', created_at: now, updated_at: null, doc: '{}' },
  })
  return id
}
