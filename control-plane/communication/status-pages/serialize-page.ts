import type { Db } from '../../platform/store/database/db.ts'
import type { StatusPagesTable } from '../../platform/store/database/tables/status-pages.ts'
import { toIso, toIsoOrNull } from '../../platform/words/shapes/instants.ts'
import { incidentsOfPages } from '../incidents/queries.ts'
import { serializeSummaries } from '../incidents/serialize-incident.ts'
import { serializeService } from '../status-page-services/schema.ts'
import { cardServicesOfPages, cardsOfPages } from '../stored-pages/card-queries.ts'
import { pageDoc } from '../stored-pages/page-doc.ts'
import { keysOfPages } from '../stored-pages/queries.ts'
import { translationsDoc } from '../stored-pages/translations.ts'
import type { StatusPage } from './schema.ts'

/** Of a page's incidents, the newest are shown. */
const shownIncidents = 100

/** Pages as they stand at `now`; `rawKey` is the password that has just been made for the only one. */
export const serializePages = async (
  db: Db,
  rows: readonly StatusPagesTable[],
  { now, rawKey = null }: { now: number; rawKey?: string | null },
): Promise<StatusPage[]> => {
  const pageIds = rows.map(({ id }) => id)
  const cards = Map.groupBy(await db.all(cardsOfPages, { pageIds }), (row) => row.status_page_id)
  const services = Map.groupBy(await db.all(cardServicesOfPages, { pageIds }), (row) =>
    cardKey(row.status_page_id, row.card_id),
  )
  const keys = Map.groupBy(await db.all(keysOfPages, { pageIds }), (row) => row.status_page_id)
  const hits = await db.all(incidentsOfPages, { pageIds, limit: shownIncidents })
  const summaries = new Map((await serializeSummaries(db, hits, now)).map((summary) => [summary.id, summary]))
  const hitsOfPage = Map.groupBy(hits, (row) => row.status_page_id)
  return rows.map((row) => ({
    ...brandingOf(row.doc),
    id: row.id,
    accountId: row.account_id,
    url: row.url,
    customDomain: row.custom_domain,
    cards: (cards.get(row.id) ?? []).map((card) => ({
      id: card.id,
      name: card.name,
      translations: translationsDoc.read(card.translations),
      created_at: toIso(card.created_at),
      updated_at: toIsoOrNull(card.updated_at),
      services: (services.get(cardKey(row.id, card.id)) ?? []).map(serializeService),
    })),
    incidents: (hitsOfPage.get(row.id) ?? []).flatMap(({ id }) => summaries.get(id) ?? []),
    keys: (keys.get(row.id) ?? []).map((key) => ({
      id: key.id,
      maskedKey: key.masked,
      ...(rawKey === null ? {} : { rawKey }),
      created_at: toIso(key.created_at),
      updated_at: null,
    })),
    created_at: toIso(row.created_at),
    updated_at: toIsoOrNull(row.updated_at),
  }))
}

/** Without what only version 3 has. */
const brandingOf = (doc: string) => {
  const { footerText: _text, allowIndexing: _listed, googleAnalyticsTag: _tag, ...rest } = pageDoc.read(doc)
  const { privacyPolicyLink: _privacy, termsOfServiceLink: _terms, supportLink: _support, ...older } = rest
  return older
}

const cardKey = (pageId: string, cardId: string): string => `${pageId} ${cardId}`
