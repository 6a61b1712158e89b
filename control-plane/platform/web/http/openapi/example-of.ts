/** A value that a schema accepts, for documentation: the smallest one that still looks like something. */
type Schema = {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  default?: unknown
  examples?: unknown[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  items?: Schema | Schema[]
  prefixItems?: Schema[]
  format?: string
  minimum?: number
  minItems?: number
  minLength?: number
}

const formats: Record<string, string> = {
  uuid: '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11',
  'date-time': '2026-01-01T00:00:00.000Z',
  date: '2026-01-01',
  uri: 'https://example.com/',
  email: 'someone@example.com',
}

export const exampleOf = (schema: Schema): unknown => {
  if (schema.examples?.length) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined && !isEmptyObject(schema.default)) return schema.default
  if (schema.enum?.length) return schema.enum[0]
  if (schema.anyOf?.[0]) return exampleOf(schema.anyOf[0])
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  return type === undefined ? {} : (byType[type]?.(schema) ?? null)
}

const byType: Record<string, (schema: Schema) => unknown> = {
  object: ({ properties = {} }) =>
    Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, exampleOf(inner)])),
  array: ({ items, minItems = 0 }) =>
    Array.isArray(items)
      ? items.map(exampleOf)
      : items && minItems > 0
        ? [exampleOf(items)]
        : items
          ? [exampleOf(items)]
          : [],
  string: ({ format = '', minLength = 0 }) => formats[format] ?? 'text'.padEnd(minLength, 'x'),
  integer: ({ minimum = 1 }) => minimum,
  number: ({ minimum = 1 }) => minimum,
  boolean: () => true,
  null: () => null,
}

const isEmptyObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
