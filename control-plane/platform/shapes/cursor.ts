/** Opaque cursors: a JSON tuple in base64url. They name a place in a list, and are validated like any other input. */
import type { Static, TSchema } from 'typebox'
import { compile, type Validator } from '../../../protocol/validate.ts'
import { ApiError, violation } from '../http/errors.ts'

export type Cursor<T> = {
  encode(place: T): string
  /** @throws ApiError 400 when the text is not a cursor of this list. */
  decode(text: string): T
}

export const cursorOf = <S extends TSchema>(schema: S): Cursor<Static<S>> => {
  let validate: Validator<Static<S>> | undefined
  return {
    encode: (place) => Buffer.from(JSON.stringify(place)).toString('base64url'),
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
