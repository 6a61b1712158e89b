/** Opaque cursors: a JSON tuple in base64url. They name a position in a list, and are validated like any other input. */
import { type Static, type TSchema, Type } from 'typebox'
import { compile, type Validator } from '../../../../protocol/validate.ts'
import { ApiError, violation } from '../errors.ts'
import { nullable } from './nullable.ts'

type Cursor<T> = {
  encode(position: T): string
  /** @throws ApiError 400 when the text is not a cursor of this list. */
  decode(text: string): T
}

export const cursorOf = <S extends TSchema>(schema: S): Cursor<Static<S>> => {
  let validate: Validator<Static<S>> | undefined
  return {
    encode: (position) => Buffer.from(JSON.stringify(position)).toString('base64url'),
    decode: (text) => {
      validate ??= compile(tupleOf(schema) as S)
      const checked = validate(parse(text))
      if (!checked.ok) throw malformed()
      return checked.value
    },
  }
}

/** JSON Schema 2020-12 writes a tuple with `prefixItems`; TypeBox writes the older `items`. */
const tupleOf = (schema: TSchema): TSchema => {
  const { items, additionalItems: _, ...rest } = schema as { items?: unknown; additionalItems?: unknown }
  return Array.isArray(items) ? { ...rest, prefixItems: items, items: false } : schema
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    throw malformed()
  }
}

const malformed = (): ApiError =>
  new ApiError(400, '"nextId" is not a cursor of this list', {
    attributes: { violations: [violation('nextId', 'cursor', 'is not a cursor of this list')] },
  })

/** Lists ordered by creation: `limit` and `nextId` in the query, `{length, entries, nextId}` in the answer. */

/** Query parameters to spread into a list's query schema. */
export const cursorParameters = {
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Items per page' }),
  nextId: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
}

export const pageOf = <S extends TSchema>(entry: S, title: string) =>
  Type.Object(
    { length: Type.Integer(), entries: Type.Array(entry), nextId: nullable(Type.String()) },
    { title },
  )

/** The last item of the page before. */
export type CreatedCursor = { createdAt: number; id: string }

const createdCursor = cursorOf(
  Type.Tuple([
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    Type.String({ maxLength: 64 }),
  ]),
)

/** @throws ApiError 400 */
export const positionOf = (nextId: string | undefined): CreatedCursor | undefined => {
  if (nextId === undefined) return undefined
  const [createdAt, id] = createdCursor.decode(nextId) as [number, string]
  return { createdAt, id }
}

/** `rows`: one more than `limit`, where there are more. */
export const cursorPage = <R extends { created_at: number; id: string }>(
  rows: readonly R[],
  limit: number,
): { rows: R[]; nextId: string | null } => {
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return { rows: page, nextId: last ? createdCursor.encode([last.created_at, last.id]) : null }
}
