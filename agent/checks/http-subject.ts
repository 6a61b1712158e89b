import type { HttpSubject } from '../assertions/sources.ts'
import type { KeptBody } from '../net/http/body.ts'
import { bodyText } from '../net/http/body-text.ts'
import type { ResponseHead } from '../net/http/http1-head.ts'

/** A response as assertions see it. Body and JSON are read when the first assertion asks, and once. */
export const httpSubject = (response: ResponseHead & KeptBody, responseTime: number): HttpSubject => {
  const contentType = String(response.headers['content-type'] ?? '')
  let text: string | null = null
  let json: ReturnType<HttpSubject['json']> | null = null
  const body = (): string => {
    text ??= bodyText({
      bytes: response.bytes,
      contentType: response.rewritten === true ? '' : contentType,
      cut: response.truncated,
    })
    return text
  }
  return {
    status: response.status,
    headers: response.headers,
    responseTime,
    body,
    json: () => {
      json ??= parseJson(contentType, body)
      return json
    },
  }
}

const jsonType = /^application\/(?:json|[\w.!#$&^-]+\+json)\s*(?:;|$)/i

const parseJson = (contentType: string, body: () => string): ReturnType<HttpSubject['json']> => {
  if (!jsonType.test(contentType.trim()))
    return {
      problem: `the response is not JSON: its Content-Type is ${contentType.slice(0, 200) || 'missing'}`,
    }
  const text = body()
  try {
    return { value: JSON.parse(text) }
  } catch {
    // The parser's message quotes the body.
    return { problem: 'the body of the response is not valid JSON' }
  }
}
