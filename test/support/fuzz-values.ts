/**
 * Values for fuzzing: nearly right ones from a JSON Schema, and the ones that have broken parsers, validators and
 * stores before. A value may hold `Raw` text, because JSON can say what no JavaScript value is (1e999, a key twice).
 */
import { type Arbitrary, fc } from './fast-check.ts'

export type Schema = {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema | Schema[]
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  default?: unknown
}

/** JSON text that is written as it is. */
class Raw {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export const toText = (value: unknown): string => {
  if (value instanceof Raw) return value.text
  if (Array.isArray(value)) return `[${value.map(toText).join(',')}]`
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, inner]) => `${JSON.stringify(key)}:${toText(inner)}`)
      .join(',')}}`
  return JSON.stringify(value) ?? 'null'
}

export const nastyTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udc00x',
  '\uffff\u202e\ufeff',
  'İ̇ß😀👩‍👩‍👧',
  '__proto__',
  'constructor',
  'toString',
  '-1',
  '0',
  '1e308',
  '9007199254740993',
  '99999999999999999999',
  'NaN',
  'Infinity',
  'true',
  'null',
  '2026-02-31',
  '+275760-09-13T00:00:00.001Z',
  '9999-12-31T23:59:59.999Z',
  '0000-01-01',
  "'; drop table checks; --",
  '%',
  '_%\\',
  '{{X}}',
  '{{{{#if}}',
  '../../etc/passwd',
  'http://[::1',
  'javascript:1',
  '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
  'x'.repeat(300),
  'é'.repeat(20_000),
]

const deep = (open: string, close: string): Raw => new Raw(open.repeat(10_000) + close.repeat(10_000))

const nastyValues: unknown[] = [
  null,
  true,
  0,
  new Raw('-0'),
  -1,
  0.1,
  1e308,
  new Raw('1e999'),
  new Raw('9007199254740993'),
  2_147_483_648,
  Number.MIN_VALUE,
  [],
  {},
  [[[[[]]]]],
  [null],
  new Raw('{"__proto__":{"x":1}}'),
  new Raw('{"constructor":{"prototype":{}},"toString":1}'),
  new Raw('{"name":1,"name":"twice"}'),
  deep('[', ']'),
  deep('{"a":[', ']}'),
  new Raw('NaN'),
  ...nastyTexts,
]

export const nastyText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...nastyTexts) },
  fc.string({ unit: 'binary', maxLength: 40 }),
)
const nasty = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...nastyValues) },
  fc.jsonValue({ maxDepth: 2 }),
  nastyText,
)

const formats: Record<string, Arbitrary<unknown>> = {
  uuid: fc.uuid(),
  email: fc.emailAddress(),
  uri: fc.webUrl(),
  hostname: fc.domain(),
  'date-time': fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  date: fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10)),
}

const texts = new Map<string, Arbitrary<unknown>>()

/** Of all texts that are bounded alike one is made: fast-check takes the bounds apart for as long as a request takes. */
const text = ({ format, pattern, minLength = 0, maxLength = 60 }: Schema): Arbitrary<unknown> => {
  const bounds = { format, pattern, minLength, maxLength }
  const known = texts.get(JSON.stringify(bounds)) ?? newText(bounds)
  texts.set(JSON.stringify(bounds), known)
  return known
}

type Bounds = {
  format: string | undefined
  pattern: string | undefined
  minLength: number
  maxLength: number
}

const newText = ({ format, pattern, minLength, maxLength }: Bounds): Arbitrary<unknown> => {
  if (format !== undefined) return formats[format] ?? fc.string()
  if (pattern !== undefined) {
    try {
      return fc.stringMatching(new RegExp(pattern, 'u'), { maxLength: Math.max(minLength, 40) })
    } catch {
      return fc.string()
    }
  }
  return fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(maxLength, 60)) })
}

const number = ({ type, minimum = -1000, maximum = 1_000_000 }: Schema): Arbitrary<unknown> => {
  const whole = fc.integer({
    min: Math.ceil(Math.max(minimum, -2_147_483_648)),
    max: Math.floor(Math.min(Math.max(maximum, minimum), 2_147_483_647)),
  })
  const edges = fc.constantFrom(minimum, maximum)
  return type === 'integer' ? fc.oneof(whole, edges) : fc.oneof(whole, edges, fc.double({ noNaN: true }))
}

const object = ({ properties = {}, required = [] }: Schema, depth: number): Arbitrary<unknown> =>
  fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, likely(inner, depth + 1)])),
    { requiredKeys: required.filter((name) => properties[name] && properties[name].default === undefined) },
  )

/** A value that the schema accepts, most of the time. */
export const likely = (schema: Schema, depth = 0): Arbitrary<unknown> => {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum?.length) return fc.constantFrom(...schema.enum)
  if (schema.anyOf?.length) return fc.oneof(...schema.anyOf.map((branch) => likely(branch, depth)))
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object') return object(schema, depth)
  if (type === 'array') {
    if (Array.isArray(schema.items)) return fc.tuple(...schema.items.map((item) => likely(item, depth + 1)))
    const least = schema.minItems ?? 0
    const most = Math.max(least, Math.min(schema.maxItems ?? 3, depth > 3 ? 1 : 3))
    return fc.array(likely(schema.items ?? {}, depth + 1), { minLength: least, maxLength: most })
  }
  if (type === 'string') return text(schema)
  if (type === 'integer' || type === 'number') return number(schema)
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  return fc.jsonValue({ maxDepth: 2 })
}

type Place = { parent: Record<string, unknown>; key: string }

const placesIn = (value: unknown, found: Place[] = []): Place[] => {
  if (typeof value !== 'object' || value === null || value instanceof Raw) return found
  for (const key of Object.keys(value)) {
    const parent = value as Record<string, unknown>
    found.push({ parent, key })
    placesIn(parent[key], found)
  }
  return found
}

/** `fast-check` hands out frozen values. */
const copy = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || value instanceof Raw) return value
  if (Array.isArray(value)) return value.map(copy)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copy(inner)]))
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Raw)

const change = fc.record({
  kind: fc.constantFrom('text', 'text', 'text', 'replace', 'replace', 'remove', 'add', 'wrap'),
  at: fc.nat(),
  with: nasty,
  text: fc.oneof({ weight: 2, arbitrary: fc.constantFrom('\0', 'a\0b', '\ud800', 'x\udc00') }, nastyText),
  name: fc.constantFrom('__proto__', 'constructor', 'unknownField', 'id', '', '\0', '$ref'),
})

type Change = typeof change extends Arbitrary<infer C> ? C : never

const apply = (root: { value: unknown }, { kind, at, with: spoiling, text, name }: Change): void => {
  const all = placesIn(root)
  const texts = all.filter(({ parent, key }) => typeof parent[key] === 'string')
  const places = kind === 'text' && texts.length > 0 ? texts : all
  const place = places[at % places.length]
  if (!place) return
  const { parent, key } = place
  const inner = parent[key]
  const spoil = copy(spoiling)
  if (kind === 'text') parent[key] = at % 2 === 0 ? text : `${inner}${text}`
  else if (kind === 'remove' && parent !== root) delete parent[key]
  else if (kind === 'add' && isPlain(inner))
    Object.defineProperty(inner, name, { value: spoil, enumerable: true, configurable: true, writable: true })
  else if (kind === 'wrap') parent[key] = [inner]
  else parent[key] = spoil
}

/** The value with one or two things in it that are not as they should be. */
export const spoiled = (base: Arbitrary<unknown>): Arbitrary<unknown> =>
  fc.tuple(base, fc.array(change, { minLength: 1, maxLength: 2 })).map(([original, changes]) => {
    const root = { value: copy(original) }
    for (const each of changes) apply(root, each)
    return root.value
  })
