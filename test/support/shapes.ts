/** The types that the contract's tables give fields, held against values of answers. */
import type { Test } from 'tap'

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const uuid = /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/
const matches = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value)
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

const kinds = {
  text: (value: unknown) => typeof value === 'string',
  number: (value: unknown) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value: unknown) => typeof value === 'boolean',
  object: isObject,
  list: Array.isArray,
  texts: (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  uuid: matches(uuid),
  // The contract's "date" and "date-time" of answers are both instants in ISO 8601, in UTC.
  instant: matches(iso),
  date: matches(/^\d{4}-\d\d-\d\d$/),
}
type Kind = keyof typeof kinds
/** `text?`: text or null. */
export type Shape = Record<string, Kind | `${Kind}?`>

/** Every field of the table is in the value, with its type. */
export const hasShape = (t: Test, value: Record<string, unknown>, shape: Shape): void => {
  for (const [name, kind] of Object.entries(shape)) {
    const nullable = kind.endsWith('?')
    const is = kinds[kind.replace('?', '') as Kind]
    const given = value[name]
    t.ok((nullable && given === null) || is(given), `${name} is ${kind}`, { given })
  }
}
