/** A body with every field that a schema knows, each with another value than its default: nothing is left to be filled in. */

type Schema = {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  default?: unknown
  examples?: unknown[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  items?: Schema
  format?: string
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
}

/** Values of fields whose schema does not say all that they have to be, by path; undefined leaves one out. */
export type Given = Readonly<Record<string, unknown>>

export const everyField = (schema: object, given: Given = {}, path = ''): unknown => {
  const { const: constant, examples, anyOf, enum: values, ...rest } = schema as Schema
  if (path in given) return given[path]
  if (constant !== undefined) return constant
  if (examples?.length) return examples[0]
  if (anyOf?.[0]) return everyField(anyOf[0], given, path)
  if (values) return values.findLast((value) => value !== null && value !== rest.default)
  const type = Array.isArray(rest.type) ? rest.type[0] : rest.type
  if (type === 'object') return objectOf(rest, given, path)
  if (type === 'array') return [everyField(rest.items ?? {}, given, `${path}[]`)]
  if (type === 'string') return formats[rest.format ?? ''] ?? `a ${path}`
  if (type === 'boolean') return rest.default !== true
  if (type === 'integer' || type === 'number') return numberOf(rest)
  throw new Error(`No value of ${path} comes to mind`)
}

const objectOf = ({ properties = {} }: Schema, given: Given, path: string): object =>
  Object.fromEntries(
    Object.entries(properties)
      .map(([name, inner]) => [name, everyField(inner, given, path === '' ? name : `${path}.${name}`)])
      .filter(([, value]) => value !== undefined),
  )

const formats: Record<string, string> = {
  'date-time': '2026-01-05T10:00:00.000Z',
  uri: 'https://example.com/a',
  email: 'ada@example.com',
}

const numberOf = ({ default: fallback, minimum, exclusiveMinimum, maximum = Infinity }: Schema): number => {
  const least = minimum ?? (exclusiveMinimum === undefined ? 0 : exclusiveMinimum + 1)
  const next = typeof fallback === 'number' ? fallback + 1 : least
  return next <= maximum ? next : least
}
