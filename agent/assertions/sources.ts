import type { Assertion } from '../../protocol/assertion.ts'
import type { SourceLabel } from '../../protocol/assertion-sentence.ts'
import type { HeaderMap } from '../net/http/http1-head.ts'
import { sensitiveHeaders } from '../scrub/scrub.ts'
import type { Actual } from './comparisons.ts'
import type { Body, JsonOrigin, Material } from './material.ts'

/** What an HTTP exchange offers to assertions. `responseTime` is milliseconds. */
export type HttpSubject = {
  status: number
  headers: HeaderMap
  responseTime: number
  /** Its type is '' where the response names none. */
  body: Body
}

/**
 * How one source is read: its name in messages, and what it offers to an assertion (`material.ts`), which costs nothing yet.
 * `hides`: the value is compared and never shown.
 */
type Source<Subject> = {
  label: SourceLabel
  read(subject: Subject, assertion: Assertion): Material
  hides?(assertion: Assertion): boolean
}

/** The sources of a check type by the name that assertions use. */
export type Sources<Subject> = Record<string, Source<Subject>>

/** A value that the run has measured or received; undefined where it is not there. */
export const valueSource = <Subject>(
  label: SourceLabel,
  read: (subject: Subject, property: string) => Actual,
): Source<Subject> => ({
  label,
  read: (subject, { property }) => ({ kind: 'value', value: read(subject, property ?? '') }),
})

/** A text; with a `property`, a regular expression, its first capture group. */
export const textSource = <Subject>(
  label: SourceLabel,
  textOf: (subject: Subject) => string | Body,
): Source<Subject> => ({
  label,
  read: (subject, { property }) => ({ kind: 'text', text: textOf(subject), pattern: property ?? '' }),
})

/** A JSON document, of which `property`, a JSON path, selects a part. */
export const jsonSource = <Subject>(
  label: SourceLabel,
  documentOf: (subject: Subject) => JsonOrigin,
): Source<Subject> => ({
  label,
  read: (subject, { property }) => ({ kind: 'json', document: documentOf(subject), path: property ?? '' }),
})

/** Sources of HTTP checks; `property` of HEADERS is the header's name. A new source is one entry here. */
export const httpSources: Sources<HttpSubject> = {
  STATUS_CODE: valueSource('status code', ({ status }) => status),
  RESPONSE_TIME: valueSource('response time', ({ responseTime }) => Math.round(responseTime)),
  HEADERS: {
    ...valueSource('header', ({ headers }, property) => readHeader(headers, property)),
    hides: ({ property }) => !property || sensitiveHeaders.has(property.toLowerCase()),
  },
  TEXT_BODY: textSource('body', ({ body }) => body),
  JSON_BODY: jsonSource('JSON body', ({ body }) => body),
}

const readHeader = (headers: HeaderMap, property: string): Actual => {
  if (property === '') return { ...headers }
  const name = property.toLowerCase()
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined
  return Array.isArray(value) ? value.join(', ') : value
}
