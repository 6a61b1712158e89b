import { type Static, type TSchema, type TUnsafe, Type } from 'typebox'

type Plain = { type?: unknown; enum?: unknown[]; title?: string }

/**
 * `T | null` as one schema with a list of types instead of a union: defaults inside are still filled in (ajv skips them
 * in unions), and a violation is one sentence instead of one per branch.
 */
export const nullable = <S extends TSchema>(
  schema: S,
  options: Record<string, unknown> = {},
): TUnsafe<Static<S> | null> => {
  const plain = schema as Plain
  if (plain.type === undefined && plain.enum === undefined) throw new Error('nullable() takes a typed schema')
  return Type.Unsafe<Static<S> | null>({
    ...schema,
    ...(plain.type === undefined ? {} : { type: [plain.type, 'null'] }),
    ...(plain.enum === undefined ? {} : { enum: [...plain.enum, null] }),
    ...(plain.title === undefined ? {} : { title: `${plain.title}OrNull` }),
    ...options,
  })
}
