/**
 * Routes → a request handler. The only folder that knows Koa: handlers are given values and return values.
 *
 * The order of everything that happens to a request is in this file: request id → error boundary → probes and documents
 * → match → (answer-request.ts:) authenticate → role → rate limit → body → validate → handle → serialize → send. What programs and readers
 * with a key ask most goes the same way without Koa (direct-path.ts, short-path.ts).
 *
 * Words: a *route* is a declaration (route.ts), an *endpoint* is a route made ready to be served (endpoint.ts).
 * Invariant: whatever a client sends, the answer is JSON in the error shape or what the route declares, and an error of
 * ours is logged once and tells the client nothing.
 */

import type { RequestListener } from 'node:http'
import Koa, { type Context, type Middleware } from 'koa'
import type { App } from '../../../app/app.ts'
import type { HasMetrics } from '../../../app/metrics.ts'
import type { HasReadReplica } from '../../../app/open-store.ts'
import type { HasRandomBytes } from '../../../services/secrets/cipher.ts'
import { ApiError, notFound } from '../../../words/errors.ts'
import type { HasAudit } from '../../audit/audit-scope.ts'
import { type HasLocales, speaking } from '../../html/locales.ts'
import { compressPage } from '../answers/compress-page.ts'
import { isSentAsIs } from '../answers/serialize.ts'
import { serializeInTurns } from '../answers/serialize-in-turns.ts'
import { createTellError, errorBoundary } from '../errors/error-boundary.ts'
import { createClientAddress } from '../limits/client-address.ts'
import { type CountedClient, createCountedClient, createUnroutedLimit } from '../limits/enforce-rate-limit.ts'
import { createRequestIds, requestId } from '../request/request-id.ts'
import { hasNoBody, type Route, replyOf } from '../route.ts'
import { type AnswerRequest, createAnswerRequest } from './answer-request.ts'
import { createDirectPath } from './direct-path.ts'
import { createEndpoints, type Endpoint } from './endpoint.ts'
import { type HasHosts, withHostedPaths } from './hosted-path.ts'
import { createMatcher, type Matcher } from './match.ts'
import { measureAnswers } from './metrics.ts'
import { serveProbes } from './probes.ts'
import { createShortPath } from './short-path.ts'
import { createStorePatience } from './store-patience.ts'
import { createWaiting } from './waiting.ts'

type HttpServer = {
  handler: RequestListener
  /** Readiness turns 503, long polls end, and connections are closed after their answer. */
  drain(): void
}

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
  const find = createMatcher(endpoints)
  const answerOf = createAnswerRequest(app, endpoints, { waiting, clientOf, addressOf })
  koa.use(serveRoutes(app, { find, answerOf, clientOf }))
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
  const directPath = createDirectPath(app, { ...frame, find, answerOf })
  const handler: RequestListener = (request, response) => {
    if (!shortPath(request, response) && !directPath(request, response)) longWay(request, response)
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

type Routing = { find: Matcher<Endpoint>; answerOf: AnswerRequest; clientOf: CountedClient }

const serveRoutes = (app: App, { find, answerOf, clientOf }: Routing) => {
  const limitUnrouted = createUnroutedLimit(app, clientOf)
  const patiently = createStorePatience(app)

  return async (ctx: Context): Promise<void> => {
    const match = find(ctx.method, ctx.path)
    if (match.kind === 'none') {
      limitUnrouted(ctx.req)
      throw refusalAbove(find, ctx) ?? notFound()
    }
    if (match.kind === 'wrong-method') return refuseMethod(ctx, match)
    const { target: endpoint } = match
    const { route } = endpoint
    ctx.state['route'] = route.path
    ctx.state['answersPages'] = route.responseType === 'text/html'
    const isLookedAt = route.method === 'GET' && route.responseType === 'text/html'
    // Straight to Node: on the hottest path Koa's `set` costs as much as the rest of the limit. Who was not waited for is answered.
    const setHeader = (name: string, value: string): void => {
      if (!ctx.res.headersSent) ctx.res.setHeader(name, value)
    }
    const { req: request, res: response, querystring } = ctx
    const work = answerOf({ request, response, querystring, setHeader }, match)
    const answer = isLookedAt ? await patiently(work) : await work
    await send(ctx, endpoint, answer)
  }
}

/** Whoever looks for something below a path that there is may be told what there is. */
const refusalAbove = (find: Matcher<Endpoint>, { method, path }: Context): Error | undefined => {
  const above = find(method, path.slice(0, path.lastIndexOf('/')))
  return above.kind === 'found' ? above.target.route.nothingThere?.(method, path) : undefined
}

type OtherMethods = { allow: string[]; others: readonly Endpoint[] }

const refuseMethod = (ctx: Context, { allow, others }: OtherMethods): void => {
  for (const { route } of others) {
    const refusal = route.nothingThere?.(ctx.method, ctx.path)
    if (refusal) throw refusal
  }
  if (ctx.method !== 'OPTIONS')
    throw new ApiError(405, undefined, { headers: { allow: allow.join(', ') }, attributes: { allow } })
  ctx.set('allow', allow.join(', '))
  ctx.status = 204
}

const send = async (ctx: Context, { route, serialize }: Endpoint, answer: unknown): Promise<void> => {
  const { status = route.status, headers, cookies, trimmed, body } = replyOf(answer)
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
