/** The fields of a resource as its writes take them: all of them may be left out. */
import { type TOptional, type TSchema, Type } from 'typebox'

type Fields = Record<string, TSchema>
type Optional<F extends Fields> = { [K in keyof F]: TOptional<F[K]> }

/** For creation: what is left out gets its default. */
export const optional = <F extends Fields>(fields: F): Optional<F> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]),
  ) as Optional<F>

/** For updates: what is left out stays as it is, so there are no defaults on this level. */
export const changesOf = <F extends Fields>(fields: F): Optional<F> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => {
      const { default: fallback, ...withoutDefault } = schema as TSchema & { default?: unknown }
      const change = Type.Optional(withoutDefault as TSchema)
      return [name, fallback === undefined && !Type.IsOptional(schema) ? alwaysThere(change) : change]
    }),
  ) as Optional<F>

const mark = '~alwaysThere'

/** Said beside the schema, as TypeBox says what is optional: it is no part of what documents show. */
const alwaysThere = (schema: TSchema): TSchema => Object.defineProperty(schema, mark, { value: true })

/** Whether a field may be left out of a change only because it has a value since the creation: a name. */
export const isAlwaysThere = (schema: object): boolean => mark in schema

const caseMark = '~anyCase'

/** An enumeration of words in capitals that clients write in any case: it is stored and shown as the schema says. */
export const anyCase = <S extends TSchema>(schema: S): S =>
  Object.defineProperty(schema, caseMark, { value: true })

export const isAnyCase = (schema: object): boolean => caseMark in schema
