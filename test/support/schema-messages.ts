/** The texts of forms that are made from schemas: labels, help, what routes are called. */
import { type Field, fieldsOf } from '../../control-plane/pages/dashboard/forms/fields.ts'
import { formLabel } from '../../control-plane/pages/dashboard/forms/words.ts'
import { withoutPage, writes } from '../../control-plane/pages/dashboard/operations.ts'
import { routes } from '../../control-plane/routes.ts'
import type { SourceMessage } from './messages.ts'

const textsOfField = (field: Field): string[] => [
  field.label,
  ...(field.help === '' ? [] : [field.help]),
  ...(field.kind === 'group' ? field.fields.flatMap(textsOfField) : []),
  ...(field.kind === 'rows' ? textsOfField(field.item) : []),
]

const hasPage = (route: (typeof routes)[number]): boolean =>
  writes(route) && withoutPage[`${route.method} ${route.path}`] === undefined

const bodiesOf = (schema: unknown): object[] => {
  if (typeof schema !== 'object' || schema === null) return []
  const { anyOf } = schema as { anyOf?: object[] }
  return [schema, ...(anyOf ?? [])]
}

/** Each text, with what asks for it. */
export const schemaMessages = (): SourceMessage[] => {
  const found = new Map<string, SourceMessage>()
  const add = (id: string, from: string): void => {
    if (/\p{L}/u.test(id) && !found.has(id)) found.set(id, { id, files: [from], forms: null })
  }
  for (const route of routes.filter(hasPage)) {
    const from = `${route.method} ${route.path}`
    add(route.summary, from)
    for (const schema of [...bodiesOf(route.body), ...bodiesOf(route.query)])
      for (const field of fieldsOf(schema, new Map())) for (const text of textsOfField(field)) add(text, from)
    if (route.description !== undefined && (route.body === undefined || route.method === 'DELETE'))
      add(route.description, from)
  }
  return [...found.values()]
}

/** Names of what the API answers: pages that show an answer as it is say them. */
export const answerLabels = (): Set<string> => {
  const found = new Set<string>()
  const walk = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return
    for (const [keyword, inner] of Object.entries(schema)) {
      if (keyword === 'properties' && typeof inner === 'object' && inner !== null)
        for (const name of Object.keys(inner)) found.add(formLabel(name))
      walk(inner)
    }
  }
  for (const { response, body, query } of routes) for (const schema of [response, body, query]) walk(schema)
  return found
}
