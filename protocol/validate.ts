/** The only place ajv is configured. `compile` turns a schema into a function that lists every violation. */
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Static, TSchema } from 'typebox'

/** One broken rule: `path` is a dotted path into the value (`request.assertions.0.target`; empty for the whole). */
export type Violation = { path: string; rule: string; message: string }

/** The value, or all that is wrong with it. */
type Check<T> = { ok: true; value: T } | { ok: false; violations: Violation[] }

/** Mutates the value: defaults are filled in. `coerce` turns text into numbers and booleans: queries and paths only. */
export type Validator<T> = (value: unknown) => Check<T>

const create = (coerceTypes: boolean | 'array'): Ajv2020 => {
  const ajv = new Ajv2020({
    allErrors: true,
    useDefaults: true,
    coerceTypes,
    strict: false,
    discriminator: false,
    // Both take as long as the compiling itself, and the first request waits for it. What V8 makes of the code is as fast
    // without; that all schemas are schemas is for a test (test/contract/schemas.test.ts) to say.
    validateSchema: false,
    code: { optimize: false },
  })
  addFormats.default(ajv)
  ajv.addFormat('date-time', instantFormat(ajv))
  return ajv
}

/** As programs write an instant, of days that every month has. */
const plainInstant =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

/** What most instants look like is known by one pattern; the rest is looked at as carefully as the format says. */
const instantFormat = (ajv: Ajv2020): ((text: string) => boolean) => {
  const { validate } = ajv.formats['date-time'] as { validate: (text: string) => boolean }
  return (text) => plainInstant.test(text) || validate(text)
}

const bodies = create(false)
const texts = create('array')

/** Compiles once. The validator takes any value, never throws, and lists every violation. */
export const compile = <S extends TSchema>(schema: S, { coerce = false } = {}): Validator<Static<S>> => {
  const validate = (coerce ? texts : bodies).compile(schema)
  return (value) =>
    validate(value)
      ? { ok: true, value: value as Static<S> }
      : { ok: false, violations: violations(validate.errors ?? []) }
}

const violations = (errors: ErrorObject[]): Violation[] => {
  const seen = new Set<string>()
  // `if` only says that its `then` was broken, and that is listed itself.
  const told = errors.filter(({ keyword }) => keyword !== 'if')
  return told.map(toViolation).filter(({ path, rule, message }) => {
    const key = `${path}\n${rule}\n${message}`
    return !seen.has(key) && seen.add(key)
  })
}

const toViolation = ({ instancePath, keyword, params, message }: ErrorObject): Violation => {
  const path = instancePath.slice(1).split('/').filter(Boolean).map(unescapePointer)
  if (keyword === 'required') return describe([...path, params['missingProperty']], keyword, 'is required')
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties')
    return describe([...path, params['additionalProperty']], keyword, 'is not a known field')
  if (keyword === 'enum')
    return describe(
      path,
      keyword,
      `must be one of [${(params['allowedValues'] as unknown[]).map(String).join(', ')}]`,
    )
  if (keyword === 'const') return describe(path, keyword, `must be ${JSON.stringify(params['allowedValue'])}`)
  return describe(path, keyword, message ?? 'is not valid')
}

const describe = (path: string[], rule: string, problem: string): Violation => {
  const dotted = path.join('.')
  return { path: dotted, rule, message: dotted === '' ? `the value ${problem}` : `"${dotted}" ${problem}` }
}

/** RFC 6901 section 4. */
const unescapePointer = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~')
