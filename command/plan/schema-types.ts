/** A JSON Schema as TypeScript's declarations, for whoever writes files in it: a part of the language, the one that our schemas use. */
import { isObject, type Json } from '../kinds.ts'

export const typesOfSchema = ({ $defs, properties = {} }: Json): string => {
  const definitions = Object.entries($defs as Record<string, Json>).map(
    ([title, schema]) =>
      `export type ${title} = ${title === 'AnyCheck' ? anyCheck(schema) : typeOf(schema, '')}\n`,
  )
  const sections = typeOf({ type: 'object', properties, additionalProperties: false }, '')
  return `// Made by watchpost schema --types.\n\n${definitions.join('\n')}\nexport type Watchpost = ${sections}\n`
}

const anyCheck = ({ allOf }: Json): string =>
  (allOf as Json[]).map((one) => typeOf(one['then'], '')).join(' | ')

const typeOf = (schema: unknown, indent: string): string => {
  if (!isObject(schema)) return 'unknown'
  const { $ref, anyOf, type, const: constant, enum: values } = schema
  if (typeof $ref === 'string') return $ref.split('/').at(-1) ?? 'unknown'
  if (constant !== undefined) return JSON.stringify(constant)
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map((one) => typeOf(one, indent)))].join(' | ')
  const types = [type].flat().map((one) => typeOfOne(String(one), schema, indent))
  return types.join(' | ')
}

const typeOfOne = (type: string, schema: Json, indent: string): string => {
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'string' || type === 'boolean' || type === 'null') return type
  if (type === 'array') return `Array<${typeOf(schema['items'], indent)}>`
  return type === 'object' ? objectType(schema, indent) : 'unknown'
}

const objectType = (schema: Json, indent: string): string => {
  const { properties, required = [], additionalProperties, patternProperties } = schema
  const inner = `${indent}  `
  const fields = Object.entries((properties ?? {}) as Json).map(([name, field]) => {
    const mark = (required as string[]).includes(name) ? '' : '?'
    return `${inner}${/^\w+$/.test(name) ? name : JSON.stringify(name)}${mark}: ${typeOf(field, inner)}\n`
  })
  const rest = isObject(additionalProperties)
    ? additionalProperties
    : Object.values((patternProperties ?? {}) as Json)[0]
  if (fields.length > 0) return `{\n${fields.join('')}${indent}}`
  return rest === undefined ? 'Record<string, unknown>' : `Record<string, ${typeOf(rest, indent)}>`
}
