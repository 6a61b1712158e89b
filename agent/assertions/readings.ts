import type { Actual } from './comparisons.ts'
import { firstGroup } from './first-group.ts'
import { readJsonPath } from './json-path.ts'
import { type Body, isBody, type JsonOrigin, type Material } from './material.ts'
import { type ReadError, readError, type ValueList } from './reading.ts'

export type Reading = Actual | ValueList | ReadError

/** A JSON value, or why there is none. */
type JsonDocument = { value: unknown } | { problem: string }

/** What the assertions of one run have read, each thing once: many of them look at the same. */
export type Readings = {
  of(material: Material): Reading
  /** The first group of a pattern in a text. */
  group(pattern: string, text: string): Reading
  /** Whether the body's text, or its JSON, has been read already. */
  hasText(body: Body): boolean
  hasJson(body: Body): boolean
}

type ReadingOptions = {
  decode(body: Body): string
  /** What one pattern, and one JSON path, may do before it throws TooManySteps. */
  patternSteps?: number
  pathSteps?(material: Extract<Material, { kind: 'json' }>): number
}

/** Nothing is read before somebody asks. */
export const createReadings = ({
  decode,
  patternSteps = Number.POSITIVE_INFINITY,
  pathSteps = () => Number.POSITIVE_INFINITY,
}: ReadingOptions): Readings => {
  const texts = new Map<Body, string>()
  const documents = new Map<Body, JsonDocument>()
  const groups = new Map<string | Body, Map<string, Reading>>()
  const paths = new Map<unknown, Map<string, Reading>>()

  const textOf = (origin: string | Body): string =>
    typeof origin === 'string' ? origin : once(texts, origin, () => decode(origin))
  const documentOf = (origin: JsonOrigin): JsonDocument =>
    isBody(origin) ? once(documents, origin, () => parseJson(origin, textOf)) : origin
  const groupIn = (origin: string | Body, pattern: string): Reading =>
    once(once(groups, origin, newMap), pattern, () => firstGroup(pattern, textOf(origin), patternSteps))

  return {
    of: (material) => {
      if (material.kind === 'value') return material.value
      if (material.kind === 'text')
        return material.pattern === '' ? textOf(material.text) : groupIn(material.text, material.pattern)
      const found = documentOf(material.document)
      if ('problem' in found) return readError(found.problem)
      return once(once(paths, found.value, newMap), material.path, () =>
        readJsonPath(material.path, found.value, pathSteps(material)),
      )
    },
    group: (pattern, text) => groupIn(text, pattern),
    hasText: (body) => texts.has(body),
    hasJson: (body) => documents.has(body),
  }
}

const newMap = (): Map<string, Reading> => new Map()

const once = <Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value => {
  const before = known.get(key)
  if (before !== undefined || known.has(key)) return before as Value
  const made = make()
  known.set(key, made)
  return made
}

const jsonType = /^application\/(?:json|[\w.!#$&^-]+\+json)\s*(?:;|$)/i

const parseJson = (body: Body, textOf: (body: Body) => string): JsonDocument => {
  const type = body.type ?? ''
  if (!jsonType.test(type.trim()))
    return { problem: `the response is not JSON: its Content-Type is ${type.slice(0, 200) || 'missing'}` }
  const text = textOf(body)
  try {
    return { value: JSON.parse(text) }
  } catch {
    // The parser's message quotes the body.
    return { problem: 'the body of the response is not valid JSON' }
  }
}
