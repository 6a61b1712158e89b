import type { HttpSubject } from '../assertions/sources.ts'
import type { KeptBody } from '../net/http/body.ts'
import type { ResponseHead } from '../net/http/http1-head.ts'

/** A response as assertions see it. What a script made of the body is UTF-8, whatever charset the headers name. */
export const httpSubject = (response: ResponseHead & KeptBody, responseTime: number): HttpSubject => {
  const contentType = String(response.headers['content-type'] ?? '')
  const type = response.rewritten === true ? contentType.replace(/;.*|\bcharset=.*/is, '') : contentType
  const { status, headers, bytes } = response
  return { status, headers, responseTime, body: { bytes, type } }
}
