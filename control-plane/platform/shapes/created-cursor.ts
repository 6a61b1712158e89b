/** Cursor lists ordered by creation: `limit` and `nextId` in the query, `{length, entries, nextId}` in the answer. */
import { type TSchema, Type } from 'typebox'
import { cursorOf } from './cursor.ts'
import { nullable } from './nullable.ts'

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

const cursor = cursorOf(
  Type.Tuple([
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    Type.String({ maxLength: 64 }),
  ]),
)

/** @throws ApiError 400 */
export const placeOf = (nextId: string | undefined): CreatedCursor | undefined => {
  if (nextId === undefined) return undefined
  const [createdAt, id] = cursor.decode(nextId) as [number, string]
  return { createdAt, id }
}

/** `rows`: one more than `limit`, where there are more. */
export const cursorPage = <R extends { created_at: number; id: string }>(
  rows: readonly R[],
  limit: number,
): { rows: R[]; nextId: string | null } => {
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return { rows: page, nextId: last ? cursor.encode([last.created_at, last.id]) : null }
}
