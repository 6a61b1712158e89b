/**
 * Types of Kubernetes inside the schema of values, from the API's own definitions: no name that does not exist, and more than the API's
 * document says where a server would refuse (`kubernetes-rules.ts`). Newest version: what an older server does not know, it says itself.
 */
import { readFileSync } from 'node:fs'
import type { JsonSchema } from './kinds-of-values.ts'
import { kubernetesRules } from './kubernetes-rules.ts'

type Definitions = { [name: string]: JsonSchema }

const read = (name: string): { kinds: Definitions; definitions?: Definitions } =>
  JSON.parse(readFileSync(new URL(`../test/fixtures/kubernetes/${name}.json`, import.meta.url), 'utf8'))

const prefix = '#/definitions/'
const shortName = (name: string): string => `kubernetes.${name.slice(name.lastIndexOf('.') + 1)}`

/** Everything below a value, with references by their short names. */
const renamed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(renamed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key,
      key === '$ref' ? `${prefix}${shortName(String(child))}` : renamed(child),
    ]),
  )
}

const withRules = (name: string, definition: JsonSchema): JsonSchema => {
  const rules = kubernetesRules[name]
  if (rules === undefined) return definition
  if (rules['type'] !== undefined) return rules
  const { properties, ...whole } = rules
  const known = definition['properties'] as Definitions | undefined
  const unknown = Object.keys(properties ?? {}).filter((property) => known?.[property] === undefined)
  if (unknown.length > 0) throw new Error(`Kubernetes has no ${name}.${unknown.join(', ')}`)
  return {
    ...definition,
    ...whole,
    ...(known === undefined ? {} : { properties: { ...known, ...properties } }),
  }
}

const definitions: Definitions = Object.fromEntries(
  Object.entries(read('kubernetes-1.37').definitions ?? {}).map(([name, definition]) => [
    shortName(name),
    withRules(name.slice(name.lastIndexOf('.') + 1), renamed(definition) as JsonSchema),
  ]),
)

/** @throws Error for a type that the API does not have */
export const kubernetes = (type: string): JsonSchema => {
  const name = `kubernetes.${type}`
  if (definitions[name] === undefined) throw new Error(`Kubernetes has no ${type}`)
  return { $ref: `${prefix}${name}` }
}

/** A type without some of its properties, which the chart writes itself. */
export const kubernetesWithout = (type: string, names: readonly string[]): JsonSchema => {
  const { required, properties, ...rest } = definitions[`kubernetes.${type}`] as {
    required?: string[]
    properties: Definitions
  }
  const left = Object.entries(properties).filter(([name]) => !names.includes(name))
  const needed = (required ?? []).filter((name) => !names.includes(name))
  return {
    ...rest,
    ...(needed.length === 0 ? {} : { required: needed }),
    properties: Object.fromEntries(left),
  }
}

/** What a custom resource has at a place in its spec. */
export const customResource = (kind: string, path: readonly string[]): JsonSchema =>
  path.reduce<JsonSchema>((schema, name) => {
    const next = name === '[]' ? schema['items'] : (schema['properties'] as Definitions | undefined)?.[name]
    if (next === undefined) throw new Error(`${kind} has no ${path.join('.')}`)
    return next as JsonSchema
  }, read('custom-resources').kinds[kind] ?? {})

const referencesIn = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) =>
    key === '$ref' ? [String(child).slice(prefix.length)] : referencesIn(child),
  )
}

/** All types that a schema refers to, and those that they refer to. */
export const kubernetesTypesIn = (schema: unknown): Definitions => {
  const found: Definitions = {}
  const add = (value: unknown): void => {
    for (const name of referencesIn(value)) {
      const definition = definitions[name]
      if (definition === undefined || found[name] !== undefined) continue
      found[name] = definition
      add(definition)
    }
  }
  add(schema)
  return Object.fromEntries(Object.entries(found).sort(([one], [other]) => (one < other ? -1 : 1)))
}
