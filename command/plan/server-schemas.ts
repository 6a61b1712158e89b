/** What the control plane takes, as its own document says it: a newer one with more check types needs no newer command. */
import type { TSchema } from 'typebox'
import { compile, type Validator, type Violation } from '../../protocol/validate.ts'
import type { Client } from '../client.ts'
import { isObject, type Json, type KindName, kinds } from '../kinds.ts'

type Schemas = Record<string, Json>
export type ServerSchemas = {
  /** Titles of the schemas of creations by check type. */
  checkTypes: ReadonlyMap<string, string>
  components: Schemas
  /** Fills in what the control plane fills in. */
  complete(kind: KindName, body: Json): { body: Json; violations: Violation[] }
}

export const readSchemas = async (client: Client): Promise<ServerSchemas> =>
  schemasOf((await client.get('/openapi.json')).body)

export const schemasOf = (document: Json): ServerSchemas => {
  const components = (document['components'] as { schemas: Schemas }).schemas
  const checkTypes = typesOf(document['paths'] as Record<string, Json>, components)
  const validators = new Map<string, Validator<unknown>>()
  const validatorOf = (title: string): Validator<unknown> => {
    // The document itself is what its references are looked up in.
    const whole = { $ref: `#/components/schemas/${title}`, components: { schemas: components } } as TSchema
    const validator = validators.get(title) ?? compile(whole)
    validators.set(title, validator)
    return validator
  }
  return {
    checkTypes,
    components,
    complete: (kind, given) => {
      const { checkType, ...fields } = structuredClone(given)
      if (kind !== 'check') return completed(validatorOf(kinds[kind].schema), structuredClone(given))
      const title = checkTypes.get(String(checkType))
      if (title === undefined) return { body: given, violations: [unknownType(checkType, checkTypes)] }
      const { body, violations } = completed(validatorOf(title), withPresentNames(components[title], fields))
      return { body: { checkType, ...body }, violations }
    },
  }
}

/** What files call by another name of a field is what the field says. */
const withPresentNames = (schema: Json | undefined, { ...body }: Json): Json => {
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, { description?: string }> }
  for (const [name, { description }] of Object.entries(properties)) {
    const present = /^(?:Older|Another) name of `(\w+)`/.exec(description ?? '')?.[1]
    if (present === undefined || !(name in body) || body[present] !== undefined) continue
    body[present] = body[name]
    delete body[name]
  }
  return body
}

const completed = (validate: Validator<unknown>, body: Json): { body: Json; violations: Violation[] } => {
  const checked = validate(body)
  return { body, violations: checked.ok ? [] : checked.violations }
}

const unknownType = (checkType: unknown, known: ReadonlyMap<string, string>): Violation => ({
  path: 'checkType',
  rule: 'enum',
  message: `"checkType" must be one of ${[...known.keys()].join(', ')}${checkType === undefined ? '' : `, not ${JSON.stringify(checkType)}`}`,
})

/** A type is what the answer of its own path says it is. */
const typesOf = (paths: Record<string, Json>, components: Schemas): Map<string, string> => {
  const types = new Map<string, string>()
  for (const [path, { post }] of Object.entries(paths)) {
    if (!/^\/v1\/checks\/[\w-]+$/.test(path) || !isObject(post)) continue
    const taken = titleIn(post, ['requestBody', 'content', 'application/json', 'schema'])
    const answered = titleIn(post, ['responses', '201', 'content', 'application/json', 'schema'])
    const shape = components[answered ?? ''] as
      | { properties?: { checkType?: { const?: string } } }
      | undefined
    const type = shape?.properties?.checkType?.const
    if (taken !== null && type !== undefined) types.set(type, taken)
  }
  return types
}

const titleIn = (value: unknown, path: readonly string[]): string | null => {
  const found = path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value)
  const ref = isObject(found) ? found['$ref'] : undefined
  return typeof ref === 'string' ? (ref.split('/').at(-1) ?? null) : null
}
