/**
 * Status pages: cards that list services, and how the page looks. The
 * incidents of a page are those of the services on its cards.
 */
import { type Static, Type } from 'typebox'
import { pageOf } from '../../platform/words/shapes/cursor.ts'
import { DateTime, DateTimeOrNull } from '../../platform/words/shapes/instants.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { changesOf, optional } from '../../platform/words/shapes/optional-fields.ts'
import { IncidentSummary } from '../incidents/schema.ts'
import { Service, ServiceReference } from '../status-page-services/schema.ts'
import { branding } from '../stored-pages/branding.ts'
import { translationsOf } from '../stored-pages/translations.ts'

const closed = { additionalProperties: false }
const id = Type.String({ format: 'uuid' })

const name = Type.String({ minLength: 1, maxLength: 255 })
const url = Type.String({
  pattern: '^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$',
  description: 'Sub-domain: letters, digits and hyphens; kept in lower case and unique',
})

/** Services without a group (components.ts) are on a card without a name. */
const cardName = Type.String({ maxLength: 255 })

/** Of a card that is kept, they stay where none are sent. */
const cardTranslations = translationsOf('StatusPageCard', { name })

const NewCard = Type.Object(
  {
    id: Type.Optional(
      Type.String({ format: 'uuid', description: 'Of a card that is kept; left out, it gets a new one' }),
    ),
    statusPageId: Type.Optional(nullable(id, { description: 'This page; not read on creation' })),
    name: cardName,
    ...changesOf({ translations: cardTranslations }),
    services: Type.Optional(Type.Array(ServiceReference, { maxItems: 100, default: [] })),
  },
  { ...closed, title: 'NewStatusPageCard' },
)
export type NewCard = Static<typeof NewCard>
const NewCards = Type.Array(NewCard, { maxItems: 100 })

export const NewStatusPage = Type.Object(
  { name, url, cards: NewCards, ...optional(branding) },
  { ...closed, title: 'NewStatusPage' },
)
export type NewStatusPage = Static<typeof NewStatusPage>

/** Name, url and cards are replaced; of the rest only what is sent changes. */
export const StatusPageChanges = Type.Object(
  { name, url, cards: NewCards, ...changesOf(branding) },
  { ...closed, title: 'StatusPageChanges' },
)
export type StatusPageChanges = Static<typeof StatusPageChanges>

const Card = Type.Object(
  {
    id,
    name: cardName,
    translations: cardTranslations,
    created_at: DateTime,
    updated_at: DateTimeOrNull,
    services: Type.Array(Service),
  },
  { title: 'StatusPageCard' },
)

const StatusPageKey = Type.Object(
  {
    id,
    maskedKey: Type.String(),
    rawKey: Type.Optional(
      Type.String({ description: 'The password; only in the answer to the request that made it' }),
    ),
    created_at: DateTime,
    updated_at: DateTimeOrNull,
  },
  { title: 'StatusPageKey' },
)

export const StatusPage = Type.Object(
  {
    id,
    accountId: id,
    name,
    url,
    ...branding,
    cards: Type.Array(Card),
    incidents: Type.Array(IncidentSummary, { description: 'The newest 100, newest first' }),
    keys: Type.Array(StatusPageKey),
    created_at: DateTime,
    updated_at: DateTimeOrNull,
    warnings: Type.Optional(
      Type.Array(Type.Object({ message: Type.String() }, { title: 'StatusPageWarning' }), {
        description: 'Only in answers to writes: which colours are hard to read',
      }),
    ),
  },
  { title: 'StatusPage' },
)
export type StatusPage = Static<typeof StatusPage>

export const StatusPagePage = pageOf(StatusPage, 'StatusPagePage')
