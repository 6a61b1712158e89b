/** Path parameters, query and body against a route's schemas: all violations of all three in one answer. */
import type { Static, TSchema } from 'typebox'
import { compile, type Validator, type Violation } from '../../../protocol/validate.ts'
import { invalid } from './errors.ts'
import { textProblem } from './json-text.ts'
import type { Route } from './route.ts'

export type RawInput = { params: Record<string, string>; querystring: string; body: unknown }
export type ValidInput = { params: unknown; query: unknown; body: unknown }

/** @throws ApiError 400 with every violation */
export type InputValidator = (raw: RawInput) => ValidInput

/** Schemas are compiled when the first request needs them: two hundred routes must not slow down the start. */
export const inputValidator = (route: Route): InputValidator => {
  const params = lazily(route.params, true)
  const query = lazily(route.query, true)
  const body = lazily(route.envelope ?? route.body, false)
  return (raw) => {
    const violations: Violation[] = []
    const check = (validator: Validator<unknown>, value: unknown): unknown => {
      const checked = validator(value)
      if (!checked.ok) violations.push(...checked.violations)
      return checked.ok ? checked.value : undefined
    }
    const input = {
      params: params ? check(params(), texts(raw.params, violations)) : undefined,
      query: query ? check(query(), texts(parseQuery(raw.querystring), violations)) : undefined,
      // No body is an empty one: the violations then name what is missing.
      body: body ? check(body(), raw.body === undefined ? {} : raw.body) : undefined,
    }
    if (violations.length > 0) throw invalid(violations)
    return input
  }
}

const lazily = (schema: TSchema | undefined, coerce: boolean): (() => Validator<unknown>) | undefined => {
  if (!schema) return undefined
  let validator: Validator<Static<TSchema>> | undefined
  return () => {
    validator ??= compile(schema, { coerce })
    return validator
  }
}

/** A name that comes twice, or as `name[]`, is a list. */
const parseQuery = (querystring: string): Record<string, string | string[]> => {
  const values: Record<string, string | string[]> = Object.create(null)
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
      const problem = textProblem(text)
      if (problem !== null) violations.push({ path: name, rule: 'text', message: `"${name}" ${problem}` })
    }
  return values
}
