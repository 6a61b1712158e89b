/** The schema of a chart's values, from the values themselves: what has a default has its type, and nothing else exists. */
import type { Chart } from './common-values.ts'
import { entry, type JsonSchema, mapOf, objectName } from './kinds-of-values.ts'
import { kubernetesTypesIn } from './kubernetes-types.ts'
import { settingSchema } from './setting-schemas.ts'

export type Values = { [name: string]: unknown }

export const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const typeOf = (value: unknown): string =>
  Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value

/** Those that no value of the chart stands for. */
const freeVariables = ({ variables, taken }: Chart): Chart['variables'] =>
  variables.filter(({ name }) => !(name in taken))

const settingsSchema = (chart: Chart): JsonSchema => ({
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(
    freeVariables(chart).map(({ name, meaning }) => [name, { ...settingSchema(name), description: meaning }]),
  ),
})

/** An entry of a secret for each setting that is one. */
const secretFilesSchema = (chart: Chart): JsonSchema => ({
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(
    chart.variables
      .filter(
        ({ name, secret }) => secret && (!(name in chart.taken) || chart.takenOrInFiles?.includes(name)),
      )
      .map(({ name, meaning }) => [
        name,
        {
          type: 'object',
          additionalProperties: false,
          required: ['name', 'key'],
          properties: { name: objectName, key: entry },
          description: meaning,
        },
      ]),
  ),
})

const schemaOf = (value: unknown, path: string, chart: Chart): JsonSchema => {
  if (path === 'settings') return settingsSchema(chart)
  if (path === 'secretFiles') return secretFilesSchema(chart)
  const special = chart.special[path]
  if (special !== undefined) return special
  if (!isObject(value)) return { type: typeOf(value) }
  const entries = Object.entries(value)
  if (entries.length === 0) throw new Error(`${chart.folder}: the value ${path} is free and has no schema`)
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      entries.map(([name, child]) => [name, schemaOf(child, path === '' ? name : `${path}.${name}`, chart)]),
    ),
  }
}

/** @throws Error for a special value that does not exist, and for one that may be anything without being special */
export const valuesSchema = (values: Values, chart: Chart): JsonSchema => {
  const { locations, ...top } = values
  const { properties } = schemaOf(top, '', chart) as { properties: { [name: string]: JsonSchema } }
  const unknown = chart.perLocation.filter((name) => properties[name] === undefined)
  if (unknown.length > 0) throw new Error(`${chart.folder}: no values named ${unknown.join(', ')}`)
  const names = Object.keys(properties)
  const references = (of: readonly string[]): JsonSchema =>
    Object.fromEntries(of.map((name) => [name, { $ref: `#/definitions/${name}` }]))
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: chart.title,
    type: 'object',
    additionalProperties: false,
    properties: {
      // Of a parent chart, for all its children.
      global: { type: 'object' },
      ...references(names),
      ...(locations === undefined
        ? {}
        : {
            locations: mapOf('^[a-z0-9]([a-z0-9-]{0,28}[a-z0-9])?$', {
              type: ['object', 'null'],
              additionalProperties: false,
              properties: references(chart.perLocation),
            }),
          }),
    },
    definitions: { ...properties, ...kubernetesTypesIn(properties) },
  }
}
