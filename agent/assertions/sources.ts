import type { Assertion } from '../../protocol/assertion.ts'
import type { HeaderMap } from '../net/http/http1-head.ts'
import { sensitiveHeaders } from '../scrub.ts'
import type { Actual } from './comparisons.ts'
import { firstGroup } from './first-group.ts'
import { readJsonPath } from './json-path.ts'
import { readProblem } from './reading.ts'

/** What an HTTP exchange offers to assertions. `responseTime` is milliseconds. */
export type HttpSubject = {
  status: number
  headers: HeaderMap
  responseTime: number
  body(): string
  json(): JsonDocument
}

/** A JSON value, or why there is none. */
export type JsonDocument = { value: unknown } | { problem: string }

/**
 * How one source is read: its name in messages, and the selected value, or `several`, or why it is `unreadable`
 * (reading.ts). `hides`: the value is compared and never shown.
 */
export type Source<Subject> = {
  label: string
  read(subject: Subject, assertion: Assertion): Actual
  hides?(assertion: Assertion): boolean
}

/** The sources of a check type by the name that assertions use. */
export type Sources<Subject> = Record<string, Source<Subject>>

/** A text; with a `property`, a regular expression, its first capture group. */
export const textSource = <Subject>(
  label: string,
  textOf: (subject: Subject) => string,
): Source<Subject> => ({
  label,
  read: (subject, { property }) => (property ? firstGroup(property, textOf(subject)) : textOf(subject)),
})

/** A JSON document, of which `property`, a JSON path, selects a part. */
export const jsonSource = <Subject>(
  label: string,
  documentOf: (subject: Subject) => JsonDocument,
): Source<Subject> => ({
  label,
  read: (subject, { property }) => {
    const document = documentOf(subject)
    if ('problem' in document) return readProblem(document.problem)
    return readJsonPath(property ?? '', document.value)
  },
})

/** Sources of HTTP checks; `property` of HEADERS is the header's name. A new source is one entry here. */
export const httpSources: Sources<HttpSubject> = {
  STATUS_CODE: { label: 'status code', read: ({ status }) => status },
  RESPONSE_TIME: { label: 'response time', read: ({ responseTime }) => Math.round(responseTime) },
  HEADERS: {
    label: 'header',
    read: ({ headers }, { property }) => readHeader(headers, property ?? ''),
    hides: ({ property }) => !property || sensitiveHeaders.has(property.toLowerCase()),
  },
  TEXT_BODY: textSource('body', ({ body }) => body()),
  JSON_BODY: jsonSource('JSON body', ({ json }) => json()),
}

const readHeader = (headers: HeaderMap, property: string): Actual => {
  if (property === '') return { ...headers }
  const name = property.toLowerCase()
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined
  return Array.isArray(value) ? value.join(', ') : value
}
