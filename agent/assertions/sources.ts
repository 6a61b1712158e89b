import type { Assertion } from '../../protocol/assertion.ts'
import type { HeaderMap } from '../net/http1-head.ts'
import type { Actual } from './comparisons.ts'

/** What an HTTP exchange offers to assertions. `responseTime` is milliseconds. */
export type HttpSubject = { status: number; headers: HeaderMap; body: string; responseTime: number }

/** How one source is read: its name in messages, and the selected value. */
export type Source<Subject> = { label: string; read(subject: Subject, assertion: Assertion): Actual }

export type Sources<Subject> = Record<string, Source<Subject>>

/** Sources of HTTP checks; `property` of HEADERS is the header's name. A new source is one entry here. */
export const httpSources: Sources<HttpSubject> = {
  STATUS_CODE: { label: 'status code', read: ({ status }) => status },
  RESPONSE_TIME: { label: 'response time', read: ({ responseTime }) => Math.round(responseTime) },
  HEADERS: { label: 'header', read: ({ headers }, { property }) => readHeader(headers, property ?? '') },
  TEXT_BODY: { label: 'body', read: ({ body }) => body },
}

const readHeader = (headers: HeaderMap, property: string): Actual => {
  if (property === '') return { ...headers }
  const name = property.toLowerCase()
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined
  return Array.isArray(value) ? value.join(', ') : value
}
