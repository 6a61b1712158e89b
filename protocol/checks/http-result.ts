import { type Static, Type } from 'typebox'
import { AssertionOutcome } from '../assertion.ts'

/**
 * `apiCheckResult` of the contract: what a URL or API run saw. `timings` are milliseconds since the start of the
 * request in which the socket's event happened; `timingPhases` are durations in milliseconds. Both describe the
 * last request of a redirect chain; `timingPhases.total` spans the whole chain.
 */
const Milliseconds = Type.Union([Type.Number({ minimum: 0 }), Type.Null()])

export const HttpTimings = Type.Object({
  socket: Milliseconds,
  lookup: Milliseconds,
  connect: Milliseconds,
  secureConnect: Milliseconds,
  response: Milliseconds,
  end: Milliseconds,
})
export type HttpTimings = Static<typeof HttpTimings>

export const HttpTimingPhases = Type.Object({
  wait: Milliseconds,
  dns: Milliseconds,
  tcp: Milliseconds,
  tls: Milliseconds,
  firstByte: Milliseconds,
  download: Milliseconds,
  total: Milliseconds,
})
export type HttpTimingPhases = Static<typeof HttpTimingPhases>

const HeaderMap = Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]))

/** One redirect that was followed. */
export const Redirect = Type.Object({ status: Type.Integer(), from: Type.String(), to: Type.String() })

/** The server's leaf certificate; `daysRemaining` may be negative. Instants are ISO 8601. */
export const CertificateFacts = Type.Object({
  subject: Type.String(),
  issuer: Type.String(),
  validFrom: Type.String(),
  validTo: Type.String(),
  daysRemaining: Type.Integer(),
  fingerprint256: Type.String(),
  altNames: Type.Array(Type.String()),
  authorized: Type.Boolean(),
  protocol: Type.Union([Type.String(), Type.Null()]),
  cipher: Type.Union([Type.String(), Type.Null()]),
})
export type CertificateFacts = Static<typeof CertificateFacts>

export const HttpCheckResult = Type.Object({
  assertions: Type.Array(AssertionOutcome),
  request: Type.Object({
    method: Type.String(),
    url: Type.String(),
    data: Type.String(),
    headers: HeaderMap,
    params: Type.Record(Type.String(), Type.String()),
  }),
  response: Type.Union([
    Type.Object({
      href: Type.String(),
      status: Type.Integer(),
      statusText: Type.String(),
      httpVersion: Type.String(),
      body: Type.String(),
      bodyEncoding: Type.Optional(Type.Enum(['utf8', 'base64'])),
      bodyBytes: Type.Integer({ minimum: 0 }),
      truncated: Type.Boolean(),
      headers: HeaderMap,
      timings: HttpTimings,
      timingPhases: HttpTimingPhases,
      remoteAddress: Type.Union([Type.String(), Type.Null()]),
      redirects: Type.Array(Redirect),
      certificate: Type.Union([CertificateFacts, Type.Null()]),
    }),
    Type.Null(),
  ]),
  requestError: Type.Union([Type.String(), Type.Null()]),
  jobLog: Type.Union([Type.Record(Type.String(), Type.Array(Type.Unknown())), Type.Null()]),
  jobAssets: Type.Union([Type.Array(Type.String()), Type.Null()]),
  pcapDataUrl: Type.Union([Type.String(), Type.Null()]),
})
export type HttpCheckResult = Static<typeof HttpCheckResult>
