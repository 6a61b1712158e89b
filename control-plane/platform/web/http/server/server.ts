/**
 * Routes → a request handler. The only folder that knows Koa: handlers are given values and return values.
 *
 * The order of everything that happens to a request is in this file: request id → error boundary → probes and documents
 * → match → authenticate → role → rate limit → body → validate → handle → serialize → send. A few tiny routes go the same
 * way without Koa (short-path.ts).
 *
 * Words: a *route* is a declaration (route.ts), an *endpoint* is a route made ready to be served (endpoint.ts).
 * Invariant: whatever a client sends, the answer is JSON in the error shape or what the route declares, and an error of
 * ours is logged once and tells the client nothing.
 */

import type { IncomingMessage, RequestListener } from 'node:http'
import Koa, { type Context, type Middleware } from 'koa'
import type { App } from '../../../app/app.ts'
import type { HasMetrics } from '../../../app/metrics.ts'
import type { HasReadReplica } from '../../../app/open-store.ts'
import type { HasRandomBytes } from '../../../services/secrets/cipher.ts'
import { ApiError, notFound } from '../../../words/errors.ts'
import type { HasAudit } from '../../audit/audit-scope.ts'
import { goOnIn, type HasLocales, speaking } from '../../html/locales.ts'
import { compressPage } from '../answers/compress-page.ts'
import { isSentAsIs } from '../answers/serialize.ts'
import { serializeInTurns } from '../answers/serialize-in-turns.ts'
import { accountNamedIn } from '../auth/account-header.ts'
import { createAuthenticator, requireRole } from '../auth/auth.ts'
import { createFailureLimit } from '../auth/auth-failure-limit.ts'
import { requireSameOrigin } from '../auth/same-origin.ts'
import { sessionOf } from '../auth/session.ts'
import { createTellError, errorBoundary } from '../errors/error-boundary.ts'
import { type ClientAddress, createClientAddress } from '../limits/client-address.ts'
import {
  type CountedClient,
  createCountedClient,
  createUnroutedLimit,
  type Principal,
} from '../limits/enforce-rate-limit.ts'
import { createPatientLimit } from '../limits/patient-limit.ts'
import { rateLimitHeaders } from '../limits/rate-limiter.ts'
import { readBody, requireType } from '../request/body.ts'
import { inputOf } from '../request/input.ts'
import { createRequestIds, requestId } from '../request/request-id.ts'
import {
  type AccountPrincipal,
  type Declaration,
  hasNoBody,
  isForPrograms,
  type Reply,
  type Route,
} from '../route.ts'
import { createAuditRequest } from './audit-request.ts'
import { createEndpoints, type Endpoint } from './endpoint.ts'
import { type HasHosts, withHostedPaths } from './hosted-path.ts'
import { createLaggingReads } from './lagging-reads.ts'
import { createMatcher } from './match.ts'
import { measureAnswers } from './metrics.ts'
import { serveProbes } from './probes.ts'
import { createShortPath } from './short-path.ts'
import { createStorePatience } from './store-patience.ts'
import { createWaiting, type WaitSignals } from './waiting.ts'

type HttpServer = {
  handler: RequestListener
  /** Readiness turns 503, long polls end, and connections are closed after their answer. */
  drain(): void
}

type Authenticate = (route: Declaration, request: IncomingMessage) => Promise<Principal>

type ServerApp = App & HasAudit & HasHosts & HasLocales & HasMetrics & HasRandomBytes & HasReadReplica

export const createHttpServer = <A extends ServerApp>(app: A, routes: readonly Route<A>[]): HttpServer => {
  const draining = new AbortController()
  const waiting = createWaiting()
  const measure = measureAnswers(app)
  const koa = new Koa()
  // Koa reports here what goes wrong after the answer has begun; its own way is the console.
  const told = new WeakSet<Error>()
  koa.on('error', (error: Error) => {
    // What a stream broke with is reported by the stream and by the answer.
    if (isReaderGone(error) || told.has(error)) return
    told.add(error)
    app.log.warn({ err: error }, 'An answer could not be sent')
  })
  const idOf = createRequestIds(app)
  const tellError = createTellError(app)
  const endpoints = createEndpoints(routes, app)
  const addressOf = createClientAddress(app.config.trustedProxies)
  const clientOf = createCountedClient(addressOf)
  koa.use(requestId(idOf))
  koa.use(measure.middleware)
  koa.use(speakToBrowsers(app))
  koa.use(errorBoundary(tellError, draining.signal))
  koa.use(serveProbes(app, draining.signal))
  koa.use(serveRoutes(app, endpoints, { waiting, clientOf, addressOf }))
  const drain = (): void => {
    draining.abort()
    waiting.drain()
  }
  const longWay = koa.callback()
  const frame = {
    idOf,
    tellError,
    noteAnswer: measure.note,
    draining: draining.signal,
    waiting,
    clientOf,
    addressOf,
  }
  const shortPath = createShortPath(app, endpoints, frame)
  const handler: RequestListener = (request, response) => {
    if (!shortPath(request, response)) longWay(request, response)
  }
  return { handler: withHostedPaths(app, handler), drain }
}

/** Programs are answered in English, and at no cost. */
const speakToBrowsers =
  ({ locales }: HasLocales): Middleware =>
  ({ headers }, next) =>
    headers.accept?.includes('text/html')
      ? speaking(locales.preferred(headers['accept-language']), next)
      : next()

const goneCodes = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED'])

/** Whoever asked has left before the end: that is no error of anybody's. */
const isReaderGone = ({ code = '' }: NodeJS.ErrnoException): boolean => goneCodes.has(code)

type Surroundings = { waiting: WaitSignals; clientOf: CountedClient; addressOf: ClientAddress }

const serveRoutes = (
  app: App & HasAudit & HasLocales & HasReadReplica,
  endpoints: Endpoint[],
  { waiting, clientOf, addressOf }: Surroundings,
) => {
  const find = createMatcher(endpoints)
  const authenticate = authentication(app, clientOf)
  const audit = createAuditRequest(app, endpoints)
  const limitUnrouted = createUnroutedLimit(app, clientOf)
  const patiently = createStorePatience(app)
  const limit = createPatientLimit(app)
  const laggingReads = createLaggingReads(app)

  const answerOf = async (
    ctx: Context,
    { target: endpoint, params }: { target: Endpoint; params: Record<string, string> },
  ): Promise<unknown> => {
    const { route } = endpoint
    const principal = await authenticate(route, ctx.req)
    const chosen = principal.kind === 'account' ? app.locales.named(principal.language) : undefined
    if (chosen !== undefined) goOnIn(chosen)
    if (principal.kind === 'account') requireRole(principal, route.access as AccountPrincipal['role'])
    const caller = { principal, request: ctx.req, clientOf }
    const usage = await limit(endpoint, caller, () => waiting.signalFor(ctx.res))
    // Straight to Node: on the hottest path Koa's `set` costs as much as the rest of the limit. Who was not waited for is answered.
    if (principal.kind !== 'program' && !ctx.res.headersSent)
      for (const [name, value] of Object.entries(rateLimitHeaders(usage))) ctx.res.setHeader(name, value)
    if (route.upload !== undefined) requireType(ctx.req, route.upload)
    const body = route.body ? await readBody(ctx.req, endpoint.bodyRules) : undefined
    const valid = endpoint.validate({ params, querystring: ctx.querystring, body })
    const input = inputOf(valid, principal, { request: ctx.req, response: ctx.res, waiting, addressOf })
    const accountId = principal.kind === 'account' ? principal.accountId : null
    const handle = () =>
      laggingReads({ route, accountId, response: ctx.res }, async () => endpoint.handle(input))
    const isAudited = principal.kind === 'account' && route.method !== 'GET'
    const exchange = { endpoint, principal, params: textsOf(params), request: ctx.req }
    return isAudited ? audit({ ...exchange, principal, address: addressOf(ctx.req) }, handle) : handle()
  }

  return async (ctx: Context): Promise<void> => {
    const match = find(ctx.method, ctx.path)
    if (match.kind === 'none') {
      limitUnrouted(ctx.req)
      throw notFound()
    }
    if (match.kind === 'wrong-method') return refuseMethod(ctx, match.allow)
    const { target: endpoint } = match
    const { route } = endpoint
    ctx.state['route'] = route.path
    ctx.state['answersPages'] = route.responseType === 'text/html'
    const isLookedAt = route.method === 'GET' && route.responseType === 'text/html'
    const work = answerOf(ctx, match)
    const answer = isLookedAt ? await patiently(work) : await work
    await send(ctx, endpoint, answer)
  }
}

/** As the path has them: validating has made numbers of some. */
const textsOf = (params: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]))

const authentication = (app: App, clientOf: CountedClient): Authenticate => {
  const authenticator = createAuthenticator(app)
  const failures = createFailureLimit(app, clientOf)
  return async ({ access, page, form, method }, request) => {
    if (form || (page && method !== 'GET')) requireSameOrigin(request.headers)
    if (access === 'PUBLIC') return { kind: 'public' }
    if (page) return (await sessionOf(app, request.headers)) ?? signInFirst(request)
    const { authorization } = request.headers
    failures.admit(request, () => authenticator.knows(authorization))
    try {
      if (isForPrograms(access)) return await authenticator.program(access, authorization)
      return await authenticator.account(authorization, accountNamedIn(request.headers))
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) failures.count(request)
      throw error
    }
  }
}

/** Leads to where people sign in, and back from there. @throws ApiError 303, or 401 where going back makes no sense */
const signInFirst = ({ method, url = '/' }: IncomingMessage): never => {
  if (method !== 'GET') throw new ApiError(401, 'Sign in first')
  throw new ApiError(303, 'Sign in first', {
    headers: { location: `/sign-in?next=${encodeURIComponent(url)}` },
  })
}

const refuseMethod = (ctx: Context, allow: string[]): void => {
  if (ctx.method !== 'OPTIONS')
    throw new ApiError(405, undefined, { headers: { allow: allow.join(', ') }, attributes: { allow } })
  ctx.set('allow', allow.join(', '))
  ctx.status = 204
}

const isReply = (answer: unknown): answer is Reply<unknown> =>
  typeof answer === 'object' && answer !== null && 'reply' in answer && answer.reply === true

const wholeBody = (body: unknown): Reply<unknown> => ({ reply: true, body })

const send = async (ctx: Context, { route, serialize }: Endpoint, answer: unknown): Promise<void> => {
  const {
    status = route.status,
    headers,
    cookies,
    trimmed,
    body,
  } = isReply(answer) ? answer : wholeBody(answer)
  ctx.status = status
  if (route.deprecated) ctx.set('deprecation', 'true')
  if (route.response && !hasNoBody(status))
    ctx.set('content-type', route.responseType ?? 'application/json; charset=utf-8')
  // Files are of many types.
  if (headers) ctx.set(headers)
  if (cookies) ctx.set('set-cookie', [...cookies])
  if (!route.response || hasNoBody(status)) return
  if (isSentAsIs(body)) ctx.body = body
  else if (route.responseType === 'text/html') await compressPage(ctx, serialize(body, trimmed))
  else ctx.body = await serializeInTurns(serialize, body, trimmed)
}
