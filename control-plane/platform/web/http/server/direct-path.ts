/**
 * Answers in JSON to whoever has a key and reads, and to programs, are sent without Koa, whose frame costs a third of such a
 * request. What happens on the way is the same, in the same order and by the same pieces (answer-request.ts).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { App } from '../../../app/app.ts'
import { serializeInTurns } from '../answers/serialize-in-turns.ts'
import type { TellError } from '../errors/error-boundary.ts'
import { hasNoBody, replyOf } from '../route.ts'
import type { AnswerRequest } from './answer-request.ts'
import type { Endpoint } from './endpoint.ts'
import type { Matcher } from './match.ts'
import type { NoteAnswer } from './metrics.ts'

/** What server.ts shares with the long way. */
type Frame = {
  idOf(request: IncomingMessage): string
  tellError: TellError
  noteAnswer: NoteAnswer
  draining: AbortSignal
  find: Matcher<Endpoint>
  answerOf: AnswerRequest
}

type Exchange = { request: IncomingMessage; response: ServerResponse }
type Answer = { status: number; text: string | null }
type Asked = Exchange & {
  found: { target: Endpoint; params: Record<string, string> }
  querystring: string
  requestId: string
  headers: Record<string, string | string[]>
}

const json = 'application/json; charset=utf-8'

/** Serves a request, or returns false: then it takes the long way. */
type DirectPath = (request: IncomingMessage, response: ServerResponse) => boolean

export const createDirectPath = (app: App, frame: Frame): DirectPath => {
  const answer = async (asked: Asked): Promise<Answer> => {
    const { request, response, found, querystring, requestId, headers } = asked
    const { route, serialize } = found.target
    const setHeader = (name: string, value: string): void => {
      headers[name] = value
    }
    try {
      const told = replyOf(await frame.answerOf({ request, response, querystring, setHeader }, found))
      const { status = route.status, body } = told
      if (route.deprecated) headers['deprecation'] = 'true'
      if (!hasNoBody(status)) headers['content-type'] = json
      for (const [name, value] of Object.entries(told.headers ?? {})) headers[name.toLowerCase()] = value
      if (told.cookies) headers['set-cookie'] = [...told.cookies]
      const text = hasNoBody(status) ? null : await serializeInTurns(serialize, body, told.trimmed)
      return { status, text }
    } catch (error) {
      const told = frame.tellError(error, { requestId, method: request.method, route: route.path })
      Object.assign(headers, told.headers, { 'content-type': json })
      // What was refused before its body had come is not read to its end.
      if (!request.complete) headers['connection'] = 'close'
      return { status: told.body.statusCode, text: JSON.stringify(told.body) }
    }
  }

  const serve = async (found: Asked['found'], querystring: string, exchange: Exchange): Promise<void> => {
    const startedAt = app.clock.monotonic()
    const { request, response } = exchange
    const requestId = frame.idOf(request)
    const headers: Asked['headers'] = { 'x-request-id': requestId }
    if (frame.draining.aborted) headers['connection'] = 'close'
    const { status, text } = await answer({ ...exchange, found, querystring, requestId, headers })
    if (text !== null) headers['content-length'] = String(Buffer.byteLength(text))
    // Whoever has left is told nothing.
    if (!response.headersSent) response.writeHead(status, headers)
    response.end(text ?? undefined)
    const { method = '' } = request
    frame.noteAnswer({ requestId, method, route: found.target.route.path, status, startedAt })
  }

  return (request, response) => {
    const { url = '', method = '', headers } = request
    if (headers.authorization === undefined || unusual.test(url) || headers.accept?.includes('text/html'))
      return false
    const end = url.indexOf('?')
    const found = frame.find(method, end < 0 ? url : url.slice(0, end))
    if (found.kind !== 'found' || found.target.route.method !== method || !found.target.isDirect) return false
    serve(found, end < 0 ? '' : url.slice(end + 1), { request, response }).catch((error: unknown) => {
      app.log.warn({ err: error }, 'An answer could not be sent')
    })
    return true
  }
}

/** What Koa reads in ways of its own. */
const unusual = /[^!-~]|[#\\]|^[^/]|^\/\//
