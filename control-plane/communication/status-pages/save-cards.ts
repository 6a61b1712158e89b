import type { Violation } from '../../../protocol/validate.ts'
import type { Stamp } from '../../platform/services/clock/stamp.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { StatusPagesTable } from '../../platform/store/database/tables/status-pages.ts'
import { invalid, violation } from '../../platform/words/errors.ts'
import { requireServices } from '../status-page-services/require-services.ts'
import {
  cardServicesOfPages,
  cardsOfPages,
  deleteCardServicesOfPage,
  deleteCardsOfPage,
  insertCard,
  insertCardService,
} from '../stored-pages/card-queries.ts'
import { translationsDoc } from '../stored-pages/translations.ts'
import type { NewCard } from './schema.ts'

type CardWrite = Stamp & { page: StatusPagesTable; cards: readonly NewCard[] }

/** Replaces the page's cards; one that is sent with its id stays the same card. @throws ApiError 400 */
export const writeCards = async (trx: Db, { page, cards, now, newId }: CardWrite): Promise<void> => {
  const isNew = page.updated_at === null
  const violations = [...repeated(cards), ...(isNew ? [] : strayed(page.id, cards))]
  if (violations.length > 0) throw invalid(violations)
  const lists = cards.map(({ services = [] }, index) => ({ path: `cards.${index}.services`, services }))
  await requireServices(trx, page.account_id, lists)
  const before = isNew ? [] : await trx.all(cardsOfPages, { pageIds: [page.id] })
  const known = new Map(before.map((card) => [card.id, card]))
  const shown = isNew ? [] : await trx.all(cardServicesOfPages, { pageIds: [page.id] })
  const docs = new Map(shown.map(({ id, doc }) => [id, doc]))
  await trx.run(deleteCardServicesOfPage, { pageId: page.id })
  await trx.run(deleteCardsOfPage, { pageId: page.id })
  for (const [position, card] of cards.entries()) {
    const kept = card.id === undefined ? undefined : known.get(card.id)
    const key = { status_page_id: page.id, account_id: page.account_id }
    const id = card.id ?? newId()
    await trx.run(insertCard, {
      ...key,
      id,
      position,
      name: card.name,
      translations: card.translations
        ? translationsDoc.write(card.translations)
        : (kept?.translations ?? '{}'),
      created_at: kept?.created_at ?? now,
      updated_at: kept ? now : null,
      doc: kept?.doc ?? '{}',
    })
    for (const [position, service] of (card.services ?? []).entries())
      await trx.run(insertCardService, {
        ...{ ...key, card_id: id, service_id: service.id, position },
        doc: docs.get(service.id) ?? '{}',
      })
  }
}

const repeated = (cards: readonly NewCard[]): Violation[] =>
  cards.flatMap(({ id }, index) =>
    id !== undefined && cards.findIndex((card) => card.id === id) < index
      ? [violation(`cards.${index}.id`, 'unique', 'is the id of two cards')]
      : [],
  )

const strayed = (pageId: string, cards: readonly NewCard[]): Violation[] =>
  cards.flatMap(({ statusPageId }, index) =>
    statusPageId === undefined || statusPageId === null || statusPageId === pageId
      ? []
      : [violation(`cards.${index}.statusPageId`, 'page', 'is another status page')],
  )
