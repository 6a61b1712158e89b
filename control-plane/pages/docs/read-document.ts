/** The API document, by tags: what its pages are made from. Pure. */
export type Json = Readonly<Record<string, unknown>>

export type Operation = { id: string; method: string; path: string; operation: Json }
export type TagDocs = { tag: string; slug: string; operations: Operation[] }

export const slugOf = (tag: string): string => tag.toLowerCase().replace(/[^a-z0-9]+/g, '-')

export const tagsOf = (document: Json): TagDocs[] => {
  const byTag = new Map<string, Operation[]>()
  for (const [path, methods] of Object.entries(document['paths'] as Record<string, Record<string, Json>>))
    for (const [method, operation] of Object.entries(methods)) {
      const [tag = 'Other'] = (operation['tags'] ?? []) as string[]
      const one = { id: String(operation['operationId']), method: method.toUpperCase(), path, operation }
      byTag.set(tag, [...(byTag.get(tag) ?? []), one])
    }
  return [...byTag]
    .map(([tag, operations]) => ({ tag, slug: slugOf(tag), operations }))
    .toSorted((a, b) => a.tag.localeCompare(b.tag, 'en'))
}

/** The named schemas that these operations refer to, and those that they refer to in turn; not of errors. */
export const schemasOf = (
  document: Json,
  operations: readonly Operation[],
): Array<[name: string, schema: Json]> => {
  const { schemas } = document['components'] as { schemas: Record<string, Json> }
  const names = new Set<string>()
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each)
    if (Array.isArray(value) || typeof value !== 'object' || value === null) return
    const { $ref: ref } = value as Json
    if (typeof ref === 'string' && ref.startsWith('#/components/schemas/')) {
      const name = ref.slice('#/components/schemas/'.length)
      if (names.has(name)) return
      names.add(name)
      visit(schemas[name])
      return
    }
    for (const [key, inner] of Object.entries(value)) if (key !== 'example') visit(inner)
  }
  for (const { operation } of operations)
    visit([operation['parameters'], operation['requestBody'], successes(operation)])
  return [...names].sort().flatMap((name) => {
    const schema = schemas[name]
    return schema === undefined ? [] : [[name, schema] as [string, Json]]
  })
}

const successes = ({ responses }: Json): unknown =>
  Object.entries((responses ?? {}) as Json)
    .filter(([status]) => Number(status) < 400)
    .map(([, response]) => response)
