/** Every value that a schema of the API lists, with the name of its field. */
import type { Declaration } from '../../control-plane/platform/web/http/route.ts'

type Valued = { field: string; value: string }

export const enumsOf = (routes: readonly Declaration[]): Valued[] => {
  const found = new Map<string, Valued>()
  for (const { params, query, body, response } of routes)
    for (const schema of [params, query, body, response])
      for (const each of valuesIn(schema, '')) found.set(`${each.field} ${each.value}`, each)
  return [...found.values()]
}

/** Lists of schemas and what holds them keep the name of the field that they are about. */
const valuesIn = (schema: unknown, field: string): Valued[] => {
  if (Array.isArray(schema)) return schema.flatMap((each) => valuesIn(each, field))
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([keyword, inner]) => {
    if (keyword === 'enum' || keyword === 'const')
      return [inner].flat().flatMap((value) => (typeof value === 'string' ? [{ field, value }] : []))
    if (keyword === 'properties')
      return Object.entries(inner as object).flatMap(([name, property]) => valuesIn(property, name))
    return ['items', 'if', 'then', 'else', 'anyOf', 'allOf', 'oneOf', 'additionalProperties'].includes(
      keyword,
    )
      ? valuesIn(inner, field)
      : []
  })
}

/** Names that the world gave: of methods, protocols, records, formats, priorities, regions and engines. */
const ownNames =
  /^(PagerDuty|FireHydrant|GitHub|GitLab|GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TCP|UDP|HTTPS|IPv[46]|A|AAAA|CAA|CNAME|MX|NS|PTR|SOA|SRV|TXT|JSON|GraphQL|SMS|P[1-5]|EU|US|API|URL|DNS|ICMP|SSL|gRPC monitor|B|F)$/

/** `EMAIL`, `READ_RUN`, `last24Hours`: nobody says it so. */
export const isRaw = (word: string): boolean =>
  !ownNames.test(word) && /^[A-Z][A-Z0-9_]*$|[a-z][A-Z]|_/.test(word)
