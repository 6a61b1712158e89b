import { unescape as percentDecode } from 'node:querystring'
import type { HttpCheckResult } from '../../protocol/checks/http-result.ts'
import type { UrlSpec } from '../../protocol/checks/url.ts'
import type { Failure, Observation } from '../../protocol/result.ts'
import { evaluate } from '../assertions/evaluate.ts'
import { httpSources } from '../assertions/sources.ts'
import type { Io } from '../io.ts'
import { acceptedEncodings } from '../net/body.ts'
import type { ExchangeRequest } from '../net/exchange.ts'
import { maskHeaders, maskUrl } from '../net/mask.ts'
import { phasesOf, timingsOf } from '../net/phases.ts'
import { type Chain, requestFollowing } from '../net/redirects.ts'
import { maxImageBytes, storedBody } from '../net/stored-body.ts'
import { userAgent } from '../version.ts'

/** One GET on a connection of its own, judged by its status and assertions. */
export const runUrl = async (spec: UrlSpec, io: Io, signal: AbortSignal): Promise<Observation> => {
  const url = URL.parse(spec.request.url)
  if (url === null) return unparsable(spec)
  const chain = await requestFollowing(requestOf(spec, url), io, signal)
  const responseTime = Math.round(chain.totalMs)
  const { response } = chain.last
  const assertions =
    response === null || chain.last.failure !== null
      ? []
      : evaluate(spec.request.assertions, { ...response, body: '', responseTime }, httpSources)
  const failure = chain.last.failure ?? statusFailure(spec, response?.status ?? 0)
  const timingPhases = phasesOf(chain.last.moments, chain.totalMs)
  return {
    responseTime,
    failure,
    assertions,
    degraded: false,
    metrics: numbersOf(timingPhases),
    detail: { ...detailOf(chain, timingPhases), assertions, requestError: errorOf(failure, chain) },
  }
}

const requestOf = ({ request }: UrlSpec, url: URL): ExchangeRequest & { followRedirects: boolean } => ({
  url,
  method: request.method,
  headers: headersOf(url),
  ipFamily: request.ipFamily,
  skipTls: request.skipSSL,
  followRedirects: request.followRedirects,
  keepBytes: maxImageBytes,
})

const headersOf = ({ username, password }: URL): Record<string, string> => {
  const headers: Record<string, string> = {
    'User-Agent': userAgent,
    Accept: '*/*',
    'Accept-Encoding': acceptedEncodings,
  }
  if (username === '' && password === '') return headers
  const credentials = `${percentDecode(username)}:${percentDecode(password)}`
  return { ...headers, Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
}

/** 4xx and 5xx fail a check that says nothing about statuses itself. */
const statusFailure = ({ shouldFail, request }: UrlSpec, status: number): Failure | null => {
  const judgesStatus = request.assertions.some(({ source }) => source === 'STATUS_CODE')
  if (status < 400 || shouldFail || judgesStatus) return null
  return { code: 'HTTP_STATUS', message: `The server answered with status ${status}`, network: false }
}

/** A status is an answer: it fails the check, and the request had no error. */
const errorOf = (failure: Failure | null, { last }: Chain): string | null =>
  last.failure === null ? null : (failure?.message ?? null)

type Phases = NonNullable<HttpCheckResult['response']>['timingPhases']

const numbersOf = (phases: Phases): Record<string, number> => {
  const numbers: Record<string, number> = {}
  for (const name in phases) {
    const value = phases[name as keyof Phases]
    if (value !== null) numbers[name] = value
  }
  return numbers
}

const detailOf = ({ last, request, redirects }: Chain, timingPhases: Phases): HttpCheckResult => ({
  assertions: [],
  request: {
    method: request.method,
    url: maskUrl(request.url),
    data: '',
    headers: maskHeaders(request.headers),
    params: Object.fromEntries(request.url.searchParams),
  },
  response:
    last.response === null ? null : responseOf(last.response, { last, request, redirects, timingPhases }),
  requestError: null,
  jobLog: null,
  jobAssets: null,
  pcapDataUrl: null,
})

type Answered = Pick<Chain, 'last' | 'request' | 'redirects'> & { timingPhases: Phases }

const responseOf = (
  response: NonNullable<Chain['last']['response']>,
  { last, request, redirects, timingPhases }: Answered,
): HttpCheckResult['response'] => ({
  href: maskUrl(request.url),
  status: response.status,
  statusText: response.statusText,
  httpVersion: response.httpVersion,
  bodyBytes: response.bodyBytes,
  ...storedBody({ ...response, contentType: String(response.headers['content-type'] ?? '') }),
  headers: maskHeaders(response.headers),
  timings: timingsOf(last.moments),
  timingPhases,
  remoteAddress: last.remoteAddress,
  redirects,
  certificate: last.certificate,
})

const unparsable = ({ request }: UrlSpec): Observation => {
  const message = 'The address of the check is not a valid http or https URL'
  return {
    responseTime: 0,
    failure: { code: 'INVALID_URL', message, network: false },
    assertions: [],
    degraded: false,
    metrics: {},
    detail: {
      assertions: [],
      request: { method: request.method, url: request.url, data: '', headers: {}, params: {} },
      response: null,
      requestError: message,
      jobLog: null,
      jobAssets: null,
      pcapDataUrl: null,
    } satisfies HttpCheckResult,
  }
}
