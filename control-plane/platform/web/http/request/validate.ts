/** Path parameters, query and body against a route's schemas: all violations of all three in one answer. */
import type { Static, TSchema } from 'typebox'
import { compile, type Validator, type Violation } from '../../../../../protocol/validate.ts'
import { invalid } from '../../../words/errors.ts'
import { type Declaration, isForPrograms } from '../route.ts'
import { type BodyReader, bodyReader, strictReader } from './body-reader.ts'
import { textError } from './json-text.ts'

type RawInput = { params: Record<string, string>; querystring: string; body: unknown }
export type ValidInput = { params: unknown; query: unknown; body: unknown }

/** @throws ApiError 400 with every violation */
export type InputValidator = (raw: RawInput) => ValidInput

/** Schemas are compiled when the first request needs them: two hundred routes must not slow down the start. */
export const inputValidator = (route: Declaration): InputValidator => {
  const params = lazily(route.params)
  const querySchema = lazily(route.query)
  const switches = switchesOf(route.query)
  const readBody = lazyBodyReader(route)
  return (raw) => {
    const violations: Violation[] = []
    const valid = (validator: Validator<unknown>, value: unknown): unknown => {
      const validated = validator(value)
      if (!validated.ok) violations.push(...validated.violations)
      return validated.ok ? validated.value : undefined
    }
    const query = (): Query => withSwitches(texts(parseQuery(raw.querystring), violations), switches)
    const read = (reader: BodyReader): unknown => {
      // No body is an empty one: the violations then name what is missing.
      const body = reader(raw.body === undefined ? {} : raw.body, raw.params)
      violations.push(...body.violations)
      return body.value
    }
    const input = {
      params: params ? valid(params(), texts(raw.params, violations)) : undefined,
      query: querySchema ? valid(querySchema(), query()) : undefined,
      body: readBody ? read(readBody()) : undefined,
    }
    if (violations.length > 0) throw invalid(violations)
    return input
  }
}

const lazily = (schema: TSchema | undefined): (() => Validator<unknown>) | undefined => {
  if (!schema) return undefined
  let validator: Validator<Static<TSchema>> | undefined
  return () => {
    validator ??= compile(schema, { coerce: true })
    return validator
  }
}

/** What programs of ours send is said in one way only. */
const lazyBodyReader = ({
  access,
  envelope,
  body,
  ignores,
  whole,
  form,
}: Declaration): (() => BodyReader) | undefined => {
  const schema = envelope ?? body
  if (!schema) return undefined
  let reader: BodyReader | undefined
  return () => {
    reader ??= isForPrograms(access)
      ? strictReader(schema)
      : bodyReader({ schema, ignores: ignores ?? [], whole, coerce: form === true })
    return reader
  }
}

type Query = Record<string, string | string[]>

/** The names of the parameters that are true or false. */
const switchesOf = (query: TSchema | undefined): string[] => {
  const { properties = {} } = (query ?? {}) as { properties?: Record<string, { type?: unknown }> }
  return Object.keys(properties).filter((name) => properties[name]?.type === 'boolean')
}

const truths: Record<string, string> = { 1: 'true', 0: 'false' }

/** `1` and `0` are what some clients make of true and false. */
const withSwitches = (query: Query, switches: readonly string[]): Query => {
  for (const name of switches) {
    const value = query[name]
    if (typeof value === 'string') query[name] = truths[value] ?? value
  }
  return query
}

/** A name that comes twice, or as `name[]`, is a list. */
const parseQuery = (querystring: string): Query => {
  const values: Query = Object.create(null)
  if (querystring === '') return values
  for (const [rawName, value] of new URLSearchParams(querystring)) {
    const isList = rawName.endsWith('[]')
    const name = isList ? rawName.slice(0, -2) : rawName
    const known = values[name]
    if (known === undefined) values[name] = isList ? [value] : value
    else values[name] = [...(Array.isArray(known) ? known : [known]), value]
  }
  return values
}

const texts = <T extends Record<string, string | string[]>>(values: T, violations: Violation[]): T => {
  for (const [name, value] of Object.entries(values))
    for (const text of Array.isArray(value) ? value : [value]) {
      const problem = textError(text)
      if (problem !== null) violations.push({ path: name, rule: 'text', message: `"${name}" ${problem}` })
    }
  return values
}
