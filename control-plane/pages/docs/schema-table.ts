/** A schema as a table of its fields; a named schema is a link to its own section. Pure. */
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { code } from '../../platform/web/html/section.ts'
import type { Json } from './read-document.ts'

/** Words between backticks are code. */
export const withCode = (text: string): Content =>
  text.split('`').map((part, position) => (position % 2 === 1 ? code(part) : part))

export const schemaTable = (schema: Json): Html => {
  const { properties, required = [] } = schema as { properties?: Record<string, Json>; required?: string[] }
  if (properties === undefined) return html`<p>${typeText(schema)}</p>`
  return html`<table><thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>${Object.entries(
    properties,
  ).map(
    ([name, property]) =>
      html`<tr><td>${code(name)}${required.includes(name) ? html` <span class="quiet">required</span>` : null}</td><td>${typeText(property)}</td><td>${meaning(property)}</td></tr>`,
  )}</tbody></table>`
}

const meaning = (property: Json): Content => {
  const fallback = property['default']
  return [
    withCode(String(property['description'] ?? '')),
    fallback === undefined
      ? null
      : html` <span class="quiet">Default ${code(JSON.stringify(fallback).slice(0, 200))}</span>`,
  ]
}

const refName = (ref: unknown): string => String(ref).split('/').at(-1) ?? ''

export const typeText = (schema: Json | undefined): Content => {
  if (schema === undefined) return 'anything'
  if (schema['$ref'] !== undefined) {
    const name = refName(schema['$ref'])
    return html`<a href="/docs/schemas/${name}">${name}</a>`
  }
  const choices = (schema['anyOf'] ?? schema['oneOf']) as Json[] | undefined
  if (choices !== undefined)
    return choices.map((each, position) => [position === 0 ? null : ' or ', typeText(each)])
  if (schema['const'] !== undefined) return code(JSON.stringify(schema['const']))
  if (Array.isArray(schema['enum'])) return enumText(schema['enum'])
  const type = [schema['type']].flat().join(' or ')
  if (schema['items'] !== undefined) return ['list of ', typeText(schema['items'] as Json), limits(schema)]
  const fields = schema['properties'] as Record<string, Json> | undefined
  if (fields !== undefined) return html`<details><summary>${type}</summary>${schemaTable(schema)}</details>`
  return [
    type === '' ? 'anything' : type,
    schema['format'] === undefined ? null : ` (${String(schema['format'])})`,
    limits(schema),
  ]
}

const maxChoices = 30

const enumText = (values: readonly unknown[]): Content => [
  values
    .slice(0, maxChoices)
    .map((value, position) => [position === 0 ? null : ', ', code(value === null ? 'null' : String(value))]),
  values.length > maxChoices ? ` and ${values.length - maxChoices} more` : null,
]

const bounds = [
  ['minimum', '≥'],
  ['maximum', '≤'],
  ['minLength', 'characters ≥'],
  ['maxLength', 'characters ≤'],
  ['minItems', 'items ≥'],
  ['maxItems', 'items ≤'],
] as const

const limits = (schema: Json): string => {
  const told = bounds.flatMap(([key, sign]) =>
    schema[key] === undefined ? [] : [`${sign} ${String(schema[key])}`],
  )
  return told.length === 0 ? '' : `, ${told.join(', ')}`
}
