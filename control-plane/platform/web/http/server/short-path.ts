/**
 * Routes that are tiny and called more often than all others (`short` in their declaration) are served without Koa, whose
 * frame costs more than their own work. All that holds for a request holds for theirs, by the same pieces: id, drain,
 * limit, validation, errors, metrics. Whatever is unusual about a request (a query, an encoded path, another method) makes
 * it take the long way.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { App } from '../../../app/app.ts'
import type { TellError } from '../errors/error-boundary.ts'
import type { ClientAddress } from '../limits/client-address.ts'
import { type CountedClient, limitRate } from '../limits/enforce-rate-limit.ts'
import { rateLimitHeaders } from '../limits/rate-limiter.ts'
import { inputOf } from '../request/input.ts'
import type { Endpoint } from './endpoint.ts'
import type { NoteAnswer } from './metrics.ts'
import type { WaitSignals } from './waiting.ts'

/** What server.ts shares with the long way. */
type Frame = {
  idOf(request: IncomingMessage): string
  tellError: TellError
  noteAnswer: NoteAnswer
  draining: AbortSignal
  waiting: WaitSignals
  clientOf: CountedClient
  addressOf: ClientAddress
}

/** Serves a request, or returns false: then it takes the long way. */
type ShortPath = (request: IncomingMessage, response: ServerResponse) => boolean

type Target = { endpoint: Endpoint; parameter: string }
type Answer = { status: number; headers: Record<string, string>; text: string }

const anybody = { kind: 'public' } as const
const unusual = /[^\w.~-]/

export const createShortPath = (app: App, endpoints: readonly Endpoint[], frame: Frame): ShortPath => {
  const targets = new Map(endpoints.filter(({ route }) => route.short).map(targetOf))

  const answer = async (
    { endpoint, parameter }: Target,
    value: string,
    {
      request,
      response,
      requestId,
    }: { request: IncomingMessage; response: ServerResponse; requestId: string },
  ): Promise<Answer> => {
    const { route } = endpoint
    const headers: Record<string, string> = {
      'x-request-id': requestId,
      'content-type': 'application/json; charset=utf-8',
    }
    if (frame.draining.aborted) headers['connection'] = 'close'
    try {
      const caller = { principal: anybody, request, clientOf: frame.clientOf }
      const usage = limitRate(endpoint, caller, app.clock.now())
      Object.assign(headers, rateLimitHeaders(usage))
      const params = { [parameter]: value }
      const valid = endpoint.validate({ params, querystring: '', body: undefined })
      const input = inputOf(valid, anybody, { request, response, ...frame })
      return { status: route.status, headers, text: endpoint.serialize(await endpoint.handle(input)) }
    } catch (error) {
      const told = frame.tellError(error, { requestId, method: request.method, route: route.path })
      Object.assign(headers, told.headers)
      return { status: told.body.statusCode, headers, text: JSON.stringify(told.body) }
    }
  }

  const serve = async (
    target: Target,
    value: string,
    { request, response }: { request: IncomingMessage; response: ServerResponse },
  ): Promise<void> => {
    const startedAt = app.clock.monotonic()
    const requestId = frame.idOf(request)
    const { status, headers, text } = await answer(target, value, { request, response, requestId })
    headers['content-length'] = String(Buffer.byteLength(text))
    response.writeHead(status, headers)
    response.end(text)
    const route = target.endpoint.route.path
    frame.noteAnswer({ requestId, method: request.method ?? '', route, status, startedAt })
  }

  return (request, response) => {
    const { url = '', method = '' } = request
    const end = url.lastIndexOf('/') + 1
    const target = targets.get(`${method === 'HEAD' ? 'GET' : method} ${url.slice(0, end)}`)
    const value = url.slice(end)
    if (target === undefined || value === '' || unusual.test(value)) return false
    serve(target, value, { request, response }).catch((error: unknown) => {
      app.log.warn({ err: error }, 'An answer could not be sent')
    })
    return true
  }
}

/** By its method and everything before its parameter. */
const targetOf = (endpoint: Endpoint): [string, Target] => {
  const { route } = endpoint
  const [, before, parameter] = /^(\/[^:]+\/):(\w+)$/.exec(route.path) ?? []
  const plain =
    route.access === 'PUBLIC' && !(route.query || route.body || route.upload || route.responseType)
  if (before === undefined || parameter === undefined || !plain)
    throw new Error(`${route.method} ${route.path} cannot be short`)
  return [`${route.method} ${before}`, { endpoint, parameter }]
}
