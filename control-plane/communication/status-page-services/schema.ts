/** A service: something users notice, shown on cards and hit by incidents. */
import { type Static, Type } from 'typebox'
import type { StatusPageServicesTable } from '../../platform/store/database/tables/status-pages.ts'
import { pageOf } from '../../platform/words/shapes/cursor.ts'
import { DateTime, DateTimeOrNull, toIso, toIsoOrNull } from '../../platform/words/shapes/instants.ts'
import { changesOf } from '../../platform/words/shapes/optional-fields.ts'
import { translationsDoc, translationsOf } from '../stored-pages/translations.ts'

const closed = { additionalProperties: false }
const id = Type.String({ format: 'uuid' })
const name = Type.String({ minLength: 1, maxLength: 255 })

const translations = translationsOf('StatusPageService', { name })

/** Translations that are not sent stay as they are. */
export const NewService = Type.Object(
  { name, ...changesOf({ translations }) },
  { ...closed, title: 'NewStatusPageService' },
)
export type NewService = Static<typeof NewService>

export const Service = Type.Object(
  {
    id,
    name,
    translations,
    accountId: Type.String({ format: 'uuid' }),
    created_at: DateTime,
    updated_at: DateTimeOrNull,
  },
  { title: 'StatusPageService' },
)
export type Service = Static<typeof Service>

export const ServicePage = pageOf(Service, 'StatusPageServicePage')

/** How cards and incidents name a service: by its id. What else a read service has may be sent along and is not read. */
export const ServiceReference = Type.Object(
  {
    id,
    name: Type.Optional(Type.String({ maxLength: 255 })),
    translations: Type.Optional(translations),
    accountId: Type.Optional(Type.String({ format: 'uuid' })),
    created_at: Type.Optional(DateTime),
    updated_at: Type.Optional(DateTimeOrNull),
  },
  { ...closed, title: 'StatusPageServiceReference' },
)

export const ServiceId = Type.Object({ serviceId: id })

export const exampleService = {
  id: '3f1d5a0e-6f42-4a3e-8d6c-0f5c2b9a7e41',
  name: 'Checkout',
  translations: { de: { name: 'Kasse' } },
  accountId: '9d0f6a52-52c9-4d0a-8b3e-6c1a2f7d9b10',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: null,
}

export const serializeService = (row: StatusPageServicesTable): Service => ({
  id: row.id,
  name: row.name,
  translations: translationsDoc.read(row.translations),
  accountId: row.account_id,
  created_at: toIso(row.created_at),
  updated_at: toIsoOrNull(row.updated_at),
})
