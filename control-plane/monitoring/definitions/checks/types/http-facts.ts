import type { Static } from 'typebox'
import type {
  CertificateFacts,
  HttpCheckResult,
  HttpTimingPhases,
  Redirect,
} from '../../../../../protocol/checks/http-result.ts'

/** What a run saw of HTTP, for an analysis: no headers but a few, and no body. */
export type HttpFacts = {
  method: string
  url: string
  status: number
  statusText: string
  contentType: string | null
  retryAfter: string | null
  location: string | null
  server: string | null
  bodyBytes: number
  remoteAddress: string | null
  redirects: Static<typeof Redirect>[]
  certificate: CertificateFacts | null
  phases: HttpTimingPhases
}

export const httpFacts = ({ request, response }: HttpCheckResult): HttpFacts | null => {
  if (!response) return null
  const header = (name: string): string | null => {
    const value = response.headers[name]
    return value === undefined ? null : [value].flat().join(', ').slice(0, 500)
  }
  return {
    method: request.method,
    url: response.href,
    status: response.status,
    statusText: response.statusText,
    contentType: header('content-type'),
    retryAfter: header('retry-after'),
    location: header('location'),
    server: header('server'),
    bodyBytes: response.bodyBytes,
    remoteAddress: response.remoteAddress,
    redirects: response.redirects,
    certificate: response.certificate,
    phases: response.timingPhases,
  }
}
