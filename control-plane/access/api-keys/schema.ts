/** API keys as they are shown: never the key itself, except in the answer that creates it. */
import { type Static, Type } from 'typebox'
import { toIso, toIsoOrNull } from '../../platform/words/shapes/instants.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'

const Instant = Type.String({ format: 'date-time' })

/** A service key has no owner's role: ownership belongs to people. */
export const GivenRole = Type.Enum(['ADMIN', 'READ_WRITE', 'READ_RUN', 'READ_ONLY'])

const keyFields = {
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  maskedKey: Type.String({ description: 'The last four characters' }),
  createdAt: Instant,
  lastUsedAt: nullable(Instant, { description: 'To the minute' }),
}
const rawKey = Type.String({ description: 'The key itself: shown only in this answer' })
const Name = Type.String({ minLength: 1, maxLength: 255 })

export const UserKey = Type.Object(keyFields, { title: 'UserKey' })
export const CreatedUserKey = Type.Object({ ...keyFields, rawKey }, { title: 'CreatedUserKey' })
export const NewUserKey = Type.Object({ name: Name }, { additionalProperties: false, title: 'NewUserKey' })

const serviceKeyFields = { ...keyFields, role: GivenRole }
export const ServiceKey = Type.Object(serviceKeyFields, { title: 'ServiceKey' })
export const CreatedServiceKey = Type.Object({ ...serviceKeyFields, rawKey }, { title: 'CreatedServiceKey' })
export const NewServiceKey = Type.Object(
  { name: Name, role: GivenRole },
  { additionalProperties: false, title: 'NewServiceKey' },
)

export type ApiKeyRow = {
  id: string
  name: string
  role: string
  masked: string
  created_at: number
  last_used_at: number | null
}

export const serializeUserKey = (row: ApiKeyRow): Static<typeof UserKey> => ({
  id: row.id,
  name: row.name,
  maskedKey: row.masked,
  createdAt: toIso(row.created_at),
  lastUsedAt: toIsoOrNull(row.last_used_at),
})

export const serializeServiceKey = (row: ApiKeyRow): Static<typeof ServiceKey> => ({
  ...serializeUserKey(row),
  role: row.role as Static<typeof GivenRole>,
})
