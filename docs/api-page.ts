/** The list of routes as a page for people: a section per tag, a table of its operations, then what each takes. */

import {
  errorsOf,
  ignoredNamesOf,
  ignoredSentence,
} from '../control-plane/platform/web/http/openapi/openapi-operation.ts'
import { defaultBodyLimit } from '../control-plane/platform/web/http/request/body.ts'
import { type Declaration, isForPrograms, type RateLimit } from '../control-plane/platform/web/http/route.ts'
import { defaultRateLimit } from '../control-plane/platform/web/http/server/endpoint.ts'

type Schema = {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  format?: string
  pattern?: string
  items?: Schema
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  default?: unknown
  description?: string
  title?: string
  properties?: Record<string, Schema>
  required?: string[]
}

export const apiPage = (routes: readonly Declaration[]): string => {
  const tags = [...new Set(routes.map(({ tag }) => tag))].sort()
  return [
    introduction(routes),
    tags.map((tag) => `- [${tag}](#${anchor(tag)})`).join('\n'),
    ...tags.map((tag) =>
      section(
        tag,
        routes.filter((route) => route.tag === tag),
      ),
    ),
    '',
  ].join('\n\n')
}

const introduction = (routes: readonly Declaration[]): string => `# API

<!-- Written by \`node docs/generate-api.ts\` from control-plane/routes.ts: change the routes, not this page. -->

The ${routes.length} operations of the control plane. The same as a machine reads it, with every schema and an example of
every answer: \`GET /openapi.json\`.

- **Who** is the weakest role that may call: ${['READ_ONLY', 'READ_RUN', 'READ_WRITE', 'ADMIN', 'OWNER'].join(' < ')}. *agent* takes the key of a
  location, *anybody* takes no key.
- Rate: ${rate(defaultRateLimit)} per key, counted over all operations that name no other; bodies: ${bytes(defaultBodyLimit)}.
- Every operation may also answer ${everywhere(routes).join(', ')}; with a key 401 and 403, with an id 404, with a body 413 and 415.
  Errors: \`{ statusCode, error, message, attributes }\`.
- In the body of a write \`null\` for a list is the empty list, and an empty text is no value where a text may be left out. Fields that nobody knows are refused, but for the old and read-only names that an operation says it ignores: what was read can
  be sent back. In queries \`1\` and \`0\` are true and false.
- The account may be named in \`x-service-account\` or any \`x-<word>-account\` header.`

/** Statuses of errors that need no mention because all have them. */
const everywhere = (routes: readonly Declaration[]): string[] => {
  const [first, ...rest] = routes.map((route) => Object.keys(errorsOf(route)))
  return (first ?? []).filter((status) => rest.every((statuses) => statuses.includes(status)))
}

const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replace(/\s+/g, '-')

const section = (tag: string, routes: readonly Declaration[]): string => {
  const rows = routes.map((route) => [
    `\`${operation(route)}\``,
    route.summary + (route.deprecated ? ' (deprecated)' : ''),
    who(route),
    limits(route),
    answers(route),
  ])
  return [
    `## ${tag}`,
    table(['Operation', 'What it does', 'Who', 'Limits', 'Answers'], rows),
    ...details(routes),
  ].join('\n\n')
}

const operation = ({ method, path }: Declaration): string => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`

/** What each takes; the versions and twins of one thing, which take the same, under one heading. */
const details = (routes: readonly Declaration[]): string[] => {
  const alike = Map.groupBy(routes, detail)
  alike.delete('')
  return [...alike].map(([text, same]) =>
    [...same.map((route) => `### ${operation(route)}`), text].join('\n\n'),
  )
}

const who = ({ access }: Declaration): string =>
  access === 'PUBLIC' ? '*anybody*' : isForPrograms(access) ? `*${access.name}*` : access

const limits = ({ access, rateLimit, bodyLimit }: Declaration): string => {
  const own = rateLimit ?? (isForPrograms(access) ? access.rateLimit : undefined)
  return [own && rate(own), bodyLimit && `body ${bytes(bodyLimit)}`].filter(Boolean).join('; ')
}

const rate = ({ requests, seconds }: RateLimit): string =>
  `${requests.toLocaleString('en')} / ${seconds === 86_400 ? 'day' : `${seconds} s`}`

const bytes = (count: number): string =>
  count < 1024 * 1024 ? `${count / 1024} KB` : `${count / 1024 / 1024} MB`

/** Success first, then what only this operation answers. */
const answers = ({ status, otherStatuses = {} }: Declaration): string =>
  [status, ...Object.keys(otherStatuses).filter((other) => other !== String(status))].join(', ')

const detail = (route: Declaration): string => {
  const { properties = {}, required = [] } = (route.query ?? {}) as Schema
  const parameters = Object.entries(properties).map(([name, schema]) => [
    `\`${name}\`${required.includes(name) && schema.default === undefined ? ' *' : ''}`,
    kind(schema),
    schema.default === undefined ? '' : `\`${JSON.stringify(schema.default)}\``,
    oneLine(schema.description ?? ''),
  ])
  const headers = Object.entries(route.requestHeaders ?? {}).map(([name, text]) => [
    `\`${name}\` (header)`,
    'text',
    '',
    oneLine(text),
  ])
  const others = Object.entries(route.otherStatuses ?? {}).map(
    ([status, text]) => `- ${status}: ${oneLine(text)}`,
  )
  const rows = [...parameters, ...headers]
  const body = route.body && bodyNote(route.body as Schema)
  const parts = [
    route.description,
    body,
    ignoredSentence(ignoredNamesOf(route)),
    rows.length > 0 && table(['Parameter', 'Value', 'Default', ''], rows),
    others.length > 0 && others.join('\n'),
  ].filter(Boolean)
  return parts.join('\n\n')
}

const bodyNote = ({ title, properties = {}, required = [] }: Schema): string => {
  const needed = required.filter((name) => properties[name]?.default === undefined)
  const names = Object.keys(properties).map((name) => `\`${name}\`${needed.includes(name) ? ' *' : ''}`)
  return `Body${title === undefined ? '' : ` (\`${title}\`)`}: ${names.join(', ')}`
}

const kind = (schema: Schema): string => {
  if (schema.const !== undefined) return code(schema.const)
  if (schema.enum) return schema.enum.map(code).join(' ')
  if (schema.anyOf) return schema.anyOf.map(kind).join(' or ')
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : (schema.type ?? 'any')
  if (type === 'array') return `list of ${kind(schema.items ?? {})}${range(schema.minItems, schema.maxItems)}`
  if (type === 'string')
    return `${schema.format ?? 'text'}${range(schema.minLength, schema.maxLength, ' characters')}`
  return `${type}${range(schema.minimum, schema.maximum)}`
}

const range = (least: number | undefined, most: number | undefined, unit = ''): string => {
  if (least === undefined && most === undefined) return ''
  if (least === undefined) return `, at most ${most}${unit}`
  return most === undefined ? `, at least ${least}${unit}` : `, ${least} to ${most}${unit}`
}

const code = (value: unknown): string => `\`${value}\``

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').replaceAll('|', '\\|')

const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
