/**
 * The `traceparent` of a check's requests (W3C Trace Context, level 1): each attempt is a trace of its own, sampled, whose
 * root the control plane makes known. A header of that name that the check itself has is left as it is.
 */
import type { TraceIds } from '../../protocol/result.ts'
import type { RedirectableRequest } from '../net/http/redirects.ts'
import type { Io } from '../net/io.ts'

const traceparent = 'traceparent'

/** The request as it is sent; `trace`: null where it carries no `traceparent` of ours. */
export const withTraceparent = (
  request: RedirectableRequest,
  isWanted: boolean | undefined,
  io: Pick<Io, 'unguessable'>,
): { request: RedirectableRequest; trace: TraceIds | null } => {
  const hasOwn = Object.keys(request.headers).some((name) => name.toLowerCase() === traceparent)
  if (isWanted !== true || hasOwn) return { request, trace: null }
  const trace = { traceId: hexDigits(32, io), spanId: hexDigits(16, io) }
  const headers = { ...request.headers, [traceparent]: `00-${trace.traceId}-${trace.spanId}-01` }
  return { request: { ...request, headers, ofHost: [traceparent] }, trace }
}

/** Not all zeros, which would be no id. */
const hexDigits = (count: number, io: Pick<Io, 'unguessable'>): string => {
  const bytes = Array.from({ length: count / 2 }, () => io.unguessable(256).toString(16).padStart(2, '0'))
  const text = bytes.join('')
  return /^0+$/.test(text) ? hexDigits(count, io) : text
}
