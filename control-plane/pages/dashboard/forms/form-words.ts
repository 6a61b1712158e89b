/** What forms say that schemas do not: nouns of rows, labels of its own, and what is wrong as a colleague would say it. Pure. */
import type { Violation } from '../../../../protocol/validate.ts'
import type { Content } from '../../../platform/web/html/html.ts'
import { say } from '../../../platform/web/html/say.ts'
import { formLabel } from './words.ts'

type Noun = 'condition' | 'header' | 'parameter' | 'variable' | 'file' | 'card' | 'update' | 'row'

const nouns: { readonly [name: string]: Noun } = {
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
export const nounOf = (name: string): Noun => nouns[name] ?? 'row'

export const addWords: { readonly [N in Noun]: string } = {
  condition: 'Add a condition',
  header: 'Add a header',
  parameter: 'Add a parameter',
  variable: 'Add a variable',
  file: 'Add a file',
  card: 'Add a card',
  update: 'Add an update',
  row: 'Add a row',
}
export const removeWords: { readonly [N in Noun]: string } = {
  condition: 'Remove condition {0}',
  header: 'Remove header {0}',
  parameter: 'Remove parameter {0}',
  variable: 'Remove variable {0}',
  file: 'Remove file {0}',
  card: 'Remove card {0}',
  update: 'Remove update {0}',
  row: 'Remove row {0}',
}
export const rowWords: { readonly [N in Noun]: string } = {
  condition: 'condition {0}',
  header: 'header {0}',
  parameter: 'parameter {0}',
  variable: 'variable {0}',
  file: 'file {0}',
  card: 'card {0}',
  update: 'update {0}',
  row: 'row {0}',
}

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
const byRule = ({ rule, message }: Violation, name: string): Content => {
  const example = examples[name]
  if (rule === 'required' || rule === 'minLength')
    return example === undefined ? say('needed') : say('needed: {0}', say(example))
  if (rule === 'pattern' || rule === 'format') {
    const said = /regular expression|match (pattern|format)/.test(message)
    if (example !== undefined) return say('has to be {0}', say(example))
    return said ? say('is not written as it has to be') : null
  }
  if (rule === 'enum') return say('choose one of the list')
  if (rule === 'type' || rule === 'anyOf')
    return /number|integer/.test(message)
      ? say('has to be a number')
      : rule === 'type'
        ? say('is not what belongs here')
        : null
  if (rule === 'additionalProperties') return say('does not belong here')
  return null
}

/** Messages with a value in them: what is said about it. */
const withValue: ReadonlyArray<readonly [RegExp, string]> = [
  [/^must be >= ?(.*)/, 'has to be at least {0}'],
  [/^must be <= ?(.*)/, 'has to be at most {0}'],
  [/^must NOT have more than (\d+) characters/, 'has more than {0} characters'],
  [/^must NOT have fewer than (\d+) characters/, 'has to have at least {0} characters'],
  [/^must NOT have more than (\d+) items/, 'has more than {0} entries'],
  [/^must NOT have fewer than (\d+) items/, 'needs at least {0}'],
  [/^must NOT have duplicate items.*/, 'has one of them twice'],
  [/^names an? [a-z ]+ that does not exist: (.*)/, 'does not exist: {0}'],
  [/^cannot be changed: it is "(.*)"/, 'cannot be changed: it is {0}'],
  [/^is there twice: (.*)/, 'is there twice: {0}'],
  [/^must hold a lock file: one of (.*)/, 'has to hold a lock file: one of {0}'],
  [/^holds a block that is not a certificate \(number (\d+)\)/, 'block {0} in it is not a certificate'],
  [/^is no template that can be filled in: (.*)/s, 'is no template that can be filled in: {0}'],
]

const withoutPath = (message: string): string => message.replace(/^("[^"]*"|the value) /, '')

/** Names of fields that a message mentions are not what people know them by. */
const withLabels = (text: string): string =>
  text.replace(/"([A-Za-z.]+)"/g, (_, path: string) => `“${formLabel(path.split('.').at(-1) ?? path)}”`)

/** Beside the field: `needed: an address that begins with https://`. */
export const problemOf = (violation: Violation): Content => {
  const name = violation.path.split('.').findLast((part) => !/^\d+$/.test(part)) ?? ''
  const known = byRule(violation, name)
  if (known !== null) return known
  const text = withoutPath(violation.message)
  const [pattern, words] = withValue.find(([each]) => each.test(text)) ?? []
  return pattern === undefined || words === undefined
    ? say(withLabels(text))
    : say(words, pattern.exec(text)?.[1] ?? '')
}

/** In the list above the form: `Address: needed`, `Header 2, value: needed`. */
export const problemInList = (violation: Violation): Content => {
  const parts = violation.path.split('.')
  const name = parts.findLast((part) => !/^\d+$/.test(part)) ?? ''
  const at = parts.findIndex((part) => /^\d+$/.test(part))
  if (name === '') return say(withLabels(violation.message))
  const list = parts[at - 1] ?? ''
  const row =
    at > 0 ? [say(formLabel(list)), ', ', say(rowWords[nounOf(list)], Number(parts[at]) + 1), ': '] : null
  return [row, say(formLabel(name)), ': ', problemOf(violation)]
}
