/** The API document, by tags: what its pages are made from. Pure. */
export type Json = Readonly<Record<string, unknown>>

export type Operation = { id: string; method: string; path: string; operation: Json }
export type TagDocs = { tag: string; slug: string; operations: Operation[] }

const slugOf = (tag: string): string => tag.toLowerCase().replace(/[^a-z0-9]+/g, '-')

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

/** Every named schema. */
export const schemasOf = (document: Json): Array<[name: string, schema: Json]> =>
  Object.entries((document['components'] as { schemas: Record<string, Json> }).schemas)
