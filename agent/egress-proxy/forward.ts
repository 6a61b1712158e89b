import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Failure } from '../../protocol/result.ts'
import { hostAndPort } from '../net/connect/failures.ts'
import { proxyFailureIn } from '../net/http/proxy-answer.ts'
import { type Client, safely } from './client.ts'
import { dial, type Session } from './dial.ts'
import { endToEndHeaders, type HttpTarget } from './http-message.ts'
import { count } from './relay.ts'

type Forwarding = {
  client: Client
  target: HttpTarget
  request: IncomingMessage
  response: ServerResponse
}

/**
 * One request to its target, or to the location's proxy. What fails ends the connection without an answer: a program must not take
 * our words for the target's, and finds the reason in its log.
 */
export const forward = async (forwarding: Forwarding): Promise<void> => {
  const { client, target } = forwarding
  const { socket, session, signal } = client
  const connection = await dial({ ...target, protocol: 'http:' }, session, signal)
  if ('socket' in connection) send(forwarding, connection.socket)
  else socket.destroy()
}

const send = (forwarding: Forwarding, connection: Socket): void => {
  const { client, target, request, response } = forwarding
  const { proxy } = client.session.io.egressRoute
  const credentials = proxy?.authorization ?? null
  const onward = http.request({
    createConnection: () => connection,
    method: request.method ?? 'GET',
    path: proxy === null ? target.path : target.href,
    headers: [
      ...endToEndHeaders(request),
      ...(credentials === null ? [] : ['Proxy-Authorization', credentials]),
      ...['Connection', 'close'],
    ],
  })
  const fail = (): void => {
    connection.destroy()
    client.socket.destroy()
  }
  client.socket.once('close', () => connection.destroy())
  onward.on('error', fail)
  // An upgrade that nobody asked for ends without an error.
  onward.on('close', () => {
    if (!response.headersSent) fail()
  })
  onward.on('response', (answer) => void safely(client, () => passOn(answer, forwarding, fail)))
  request.on('data', (part: Buffer) => count(part.length, client.session))
  request.on('error', fail)
  request.pipe(onward)
}

const passOn = (
  answer: IncomingMessage,
  { client, target, response }: Forwarding,
  fail: () => void,
): void => {
  const { session } = client
  const failure = failureOfProxy(answer, target, session)
  if (failure !== null) {
    session.tell('WARN', failure.message)
    fail()
  } else {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEndHeaders(answer))
    answer.on('data', (part: Buffer) => count(part.length, session))
    answer.on('error', fail)
    answer.pipe(response)
  }
}

/** What the location's proxy says itself is not an answer of the target. */
const failureOfProxy = (
  answer: IncomingMessage,
  { host, port }: HttpTarget,
  { io }: Session,
): Failure | null => {
  const { statusCode: status = 0, statusMessage: statusText = '' } = answer
  const headers = answer.headers as Record<string, string | string[]>
  return io.egressRoute.proxy === null
    ? null
    : proxyFailureIn({ status, statusText, headers }, io.egressRoute.proxy, hostAndPort(host, port))
}
