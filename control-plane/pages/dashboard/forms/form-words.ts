/** What forms say that schemas do not: nouns of rows, labels of its own, and what is wrong as a colleague would say it. Pure. */
import type { Violation } from '../../../../protocol/validate.ts'
import { formLabel } from './words.ts'

const nouns: { readonly [name: string]: string } = {
  assertions: 'condition',
  headers: 'header',
  queryParameters: 'parameter',
  environmentVariables: 'variable',
  dependencies: 'file',
  files: 'file',
  cards: 'card',
  incidentUpdates: 'update',
}

/** What one row of a list is called. */
export const nounOf = (name: string): string => nouns[name] ?? 'row'

/** Sentences of the API's reference that a form does not need. */
const silent: ReadonlySet<string> = new Set(['privateLocations', 'activated', 'autoAssignAlerts'])

export const isSilent = (name: string): boolean => silent.has(name)

const examples: { readonly [name: string]: string } = {
  url: 'an address that begins with http:// or https://',
  hostname: 'a host, such as shop.example.com, without http:// before it',
  query: 'a host name, such as shop.example.com',
  sslCheckDomain: 'a domain, such as shop.example.com',
  customDomain: 'a domain, such as status.example.com',
  slugName: 'small letters, digits and hyphens, such as frankfurt-1',
  key: 'letters, digits and underscores, such as API_TOKEN',
  address: 'an address, such as ada@example.com',
  port: 'a number from 1 to 65535',
}

/** A regular expression, a list of allowed values or the word of a schema tells people nothing. */
const byRule = ({ rule, message }: Violation, name: string): string | null => {
  const example = examples[name]
  if (rule === 'required' || rule === 'minLength')
    return example === undefined ? 'needed' : `needed: ${example}`
  if (rule === 'pattern' || rule === 'format') {
    const said = /regular expression|match (pattern|format)/.test(message)
    if (example !== undefined) return `has to be ${example}`
    return said ? 'is not written as it has to be' : null
  }
  if (rule === 'enum') return 'choose one of the list'
  if (rule === 'type' || rule === 'anyOf')
    return /number|integer/.test(message)
      ? 'has to be a number'
      : rule === 'type'
        ? 'is not what belongs here'
        : null
  if (rule === 'additionalProperties') return 'does not belong here'
  return null
}

const limits: ReadonlyArray<readonly [RegExp, string]> = [
  [/^must be >= ?/, 'has to be at least '],
  [/^must be <= ?/, 'has to be at most '],
  [/^must NOT have more than (\d+) characters/, 'has more than $1 characters'],
  [/^must NOT have fewer than (\d+) characters/, 'has to have at least $1 characters'],
  [/^must NOT have more than (\d+) items/, 'has more than $1 entries'],
  [/^must NOT have fewer than (\d+) items/, 'needs at least $1'],
  [/^must NOT have duplicate items.*/, 'has one of them twice'],
]

const withoutPath = (message: string): string => message.replace(/^("[^"]*"|the value) /, '')

/** Names of fields that a message mentions are not what people know them by. */
const withLabels = (text: string): string =>
  text.replace(/"([A-Za-z.]+)"/g, (_, path: string) => `“${formLabel(path.split('.').at(-1) ?? path)}”`)

/** Beside the field: `needed: an address that begins with https://`. */
export const problemOf = (violation: Violation): string => {
  const name = violation.path.split('.').findLast((part) => !/^\d+$/.test(part)) ?? ''
  const known = byRule(violation, name)
  if (known !== null) return known
  const text = withoutPath(violation.message)
  const [pattern, words] = limits.find(([each]) => each.test(text)) ?? []
  return pattern === undefined || words === undefined ? withLabels(text) : text.replace(pattern, words)
}

/** In the list above the form: `Address: needed`, `Header 2, value: needed`. */
export const problemInList = (violation: Violation): string => {
  const parts = violation.path.split('.')
  const name = parts.findLast((part) => !/^\d+$/.test(part)) ?? ''
  const at = parts.findIndex((part) => /^\d+$/.test(part))
  const row =
    at > 0
      ? `${formLabel(parts[at - 1] ?? '')}, ${Number(parts[at]) + 1}. ${nounOf(parts[at - 1] ?? '')}: `
      : ''
  const label = formLabel(name)
  return name === ''
    ? withLabels(violation.message)
    : `${row}${row === '' ? label : label.toLowerCase()}: ${problemOf(violation)}`
}
