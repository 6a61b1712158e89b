/**
 * What URL and API checks report about an HTTP exchange: one judgement, one shape. The runners say what to send; this
 * says what came of it.
 */
import type { Assertion, AssertionOutcome } from '../../protocol/assertion.ts'
import type { HttpCheckResult } from '../../protocol/checks/http-result.ts'
import type { Failure, Observation } from '../../protocol/result.ts'
import { type HttpSubject, httpSources } from '../assertions/sources.ts'
import type { Judge } from '../judging/judge.ts'
import { maskHeaders, maskUrl } from '../net/http/mask.ts'
import { phasesOf, timingsOf } from '../net/http/phases.ts'
import type { Chain } from '../net/http/redirects.ts'
import { maxStoredBytes, storedBody } from '../net/http/stored-body.ts'

/** `shouldFail`: 4xx and 5xx count as passing; assertions still decide. */
type HttpExpectation = { assertions: readonly Assertion[]; shouldFail: boolean }

/** The exchange, judged by its status and by the assertions. */
export const httpObservation = async (
  chain: Chain,
  expected: HttpExpectation,
  judge: Judge,
): Promise<Observation> => {
  const responseTime = Math.round(chain.totalMs)
  const { response } = chain.last
  const assertions =
    response === null || chain.last.failure !== null
      ? []
      : await judge.evaluate(expected.assertions, httpSubject(response, responseTime), httpSources)
  const failure = chain.last.failure ?? statusFailure(expected, response?.status ?? 0)
  const timingPhases = phasesOf(chain.last.moments, chain.totalMs)
  const asText = expected.assertions.some(({ source }) => source === 'TEXT_BODY')
  return {
    responseTime,
    failure,
    assertions,
    degraded: false,
    metrics: numbersOf(timingPhases),
    detail: {
      ...detailOf(chain, { assertions, timingPhases, asText }),
      requestError: errorOf(failure, chain),
    },
  }
}

/** A request that could not be sent; the address is shown as the check has it. */
export const unsentObservation = (
  request: { method: string; url: string },
  { code, message }: { code: string; message: string },
): Observation => ({
  responseTime: 0,
  failure: { code, message, network: false },
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
})

type Response = NonNullable<Chain['last']['response']>

/** A response as assertions see it. */
const httpSubject = (response: Response, responseTime: number): HttpSubject => {
  const { status, headers, bytes, rewritten = false, truncated } = response
  const type = String(headers['content-type'] ?? '')
  return { status, headers, responseTime, body: { bytes, type, isUtf8: rewritten, cut: truncated } }
}

/** 4xx and 5xx fail a check that says nothing about statuses itself. */
const statusFailure = ({ shouldFail, assertions }: HttpExpectation, status: number): Failure | null => {
  const judgesStatus = assertions.some(({ source }) => source === 'STATUS_CODE')
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

type ResponseJudgement = { assertions: AssertionOutcome[]; timingPhases: Phases; asText: boolean }

const detailOf = (chain: Chain, judged: ResponseJudgement): HttpCheckResult => {
  const { last, request } = chain
  return {
    assertions: judged.assertions,
    request: {
      method: request.method,
      url: maskUrl(request.url),
      data: request.body === null ? '' : request.body.toString('utf8', 0, maxStoredBytes),
      headers: maskHeaders(request.headers),
      params: Object.fromEntries(request.url.searchParams),
    },
    response: last.response === null ? null : responseOf(last.response, chain, judged),
    requestError: null,
    jobLog: null,
    jobAssets: null,
    pcapDataUrl: null,
  }
}

/** What a script made of a body is text, whatever it was before. */
const shownType = ({ headers, rewritten }: Response): string =>
  rewritten === true ? '' : String(headers['content-type'] ?? '')

const responseOf = (
  response: Response,
  { last, request, redirects }: Chain,
  { timingPhases, asText }: ResponseJudgement,
): HttpCheckResult['response'] => ({
  href: maskUrl(request.url),
  status: response.status,
  statusText: response.statusText,
  httpVersion: response.httpVersion,
  bodyBytes: response.bodyBytes,
  ...storedBody({
    ...response,
    contentType: shownType(response),
    asText: asText || response.rewritten === true,
  }),
  headers: maskHeaders(response.headers),
  timings: timingsOf(last.moments),
  timingPhases,
  remoteAddress: last.remoteAddress,
  redirects,
  certificate: last.certificate,
})
