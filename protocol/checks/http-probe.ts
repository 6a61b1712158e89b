import type { HttpCheckResult } from './http-result.ts'
import {
  certificateExpiry,
  gauge,
  inSeconds,
  ipProtocol,
  ipVersion,
  lookupTime,
  type ProbeSeries,
  phases,
} from './probe-sample.ts'

const status = gauge('probe_http_status_code', 'Status code of the answer; 0: there was none')
const took = gauge(
  'probe_http_duration_seconds',
  'Duration of the HTTP request by phase, of the last of its redirects',
)
const followed = gauge('probe_http_redirects', 'Redirects that were followed')
const secure = gauge('probe_http_ssl', 'Whether TLS was used for the answer')
const version = gauge('probe_http_version', 'Version of HTTP in the answer')
const length = gauge(
  'probe_http_uncompressed_body_length',
  'Length of the body in bytes, without its compression',
)
const numberOf = ({ name }: { name: string }, value: number | undefined) =>
  value !== undefined && Number.isFinite(value) ? [{ name, value }] : []

/** Of the types that send HTTP requests. */
export const httpProbe: ProbeSeries<HttpCheckResult> = {
  families: [lookupTime, ipProtocol, status, took, followed, secure, version, length, certificateExpiry],
  read: ({ response }) => {
    if (!response) return [{ name: status.name, value: 0 }]
    const { timingPhases, certificate, redirects, httpVersion, bodyBytes } = response as Partial<
      typeof response
    >
    return [
      { name: status.name, value: response.status },
      ...ipVersion(response.remoteAddress),
      { name: secure.name, value: (response.href ?? '').startsWith('https:') ? 1 : 0 },
      ...numberOf(followed, redirects?.length),
      ...numberOf(version, Number(httpVersion)),
      ...numberOf(length, bodyBytes),
      ...numberOf(certificateExpiry, Date.parse(certificate?.validTo ?? '') / 1000),
      ...(timingPhases === undefined
        ? []
        : [
            { name: lookupTime.name, value: inSeconds(timingPhases.dns) },
            ...phases(took, {
              resolve: timingPhases.dns,
              connect: timingPhases.tcp,
              tls: timingPhases.tls,
              processing: timingPhases.firstByte,
              transfer: timingPhases.download,
            }),
          ]),
    ]
  },
}
