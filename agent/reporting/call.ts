/**
 * One call of the control plane: JSON over HTTP on kept-alive connections, with a hard deadline. An answer is a value, `ok`
 * or the reason why not. Nothing here retries or throws for the network: only the caller knows whether to try again
 * (`back-off.ts` says when).
 *
 * Every answer tells the control plane's clock. One log line says when the connection is lost, why, and when it is back.
 */
import type { Readable } from 'node:stream'
import type { Static, TSchema } from 'typebox'
import type { Dispatcher } from 'undici'
import type { Validator } from '../../protocol/validate.ts'
import type { Io } from '../net/io.ts'
import type { Answer, Reason, Refusal } from './answer.ts'
import { type ClockOffset, noClockOffset, offsetOf, withSample } from './clock-offset.ts'
import { createConnectionLog } from './connection-log.ts'

/** How long a call may take, unless it says so itself. */
export const answerWithinMs = 15_000

export type ConnectionOptions = {
  url: string
  apiKey: string
  dispatcher: Dispatcher
  io: Io
  observe(call: string, seconds: number, outcome: string): void
  /** The control plane has answered; `serverTime` is its clock. */
  onAnswer(call: string, serverTime: number): void
}

/** One request. `path` is below the address of the control plane, `body` is sent as it is, durations are in milliseconds. */
type Call<S extends TSchema> = {
  name: string
  path: string
  answer: Validator<Static<S>>
  body: string | Readable | null
  /** POST unless told otherwise. */
  method?: 'GET' | 'POST' | 'PATCH'
  headers?: Record<string, string>
  /** A refusal is an answer like any other. */
  mayRefuse?: true
  /** `answerWithinMs` unless told otherwise. */
  deadlineMs?: number
  signal?: AbortSignal
}

/** What the calls of one agent share. */
export type Connection = ConnectionOptions & {
  origin: string
  /** Of the path of every call. */
  prefix: string
  headers: Record<string, string>
  log: ReturnType<typeof createConnectionLog>
  clockOffset: ClockOffset
  /** What to add to the monotonic clock. */
  offset: number
}

export const createConnection = (options: ConnectionOptions): Connection => {
  const { url, apiKey, io } = options
  const base = new URL(url)
  return {
    ...options,
    origin: base.origin,
    prefix: base.pathname.replace(/\/+$/, ''),
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    log: createConnectionLog(url, io),
    clockOffset: noClockOffset,
    // Until the first answer the machine's clock is the best guess.
    offset: io.clock.now() - io.clock.monotonic(),
  }
}

/** One call: asked, measured, and said in the log where the connection changes. */
export const call = async <S extends TSchema>(
  connection: Connection,
  request: Call<S>,
): Promise<Answer<Static<S>>> => {
  const { io, observe, log } = connection
  const sentAt = io.clock.monotonic()
  const answer = await exchange(connection, request, sentAt)
  observe(request.name, (io.clock.monotonic() - sentAt) / 1000, answer.ok ? 'ok' : answer.reason)
  if (answer.ok) {
    log.connected()
    connection.onAnswer(request.name, (answer.value as { serverTime: number }).serverTime)
  } else if (answer.reason !== 'aborted' && !(request.mayRefuse && answer.reason === 'refused'))
    log.failed(answer)
  return answer
}

const exchange = async <S extends TSchema>(
  connection: Connection,
  request: Call<S>,
  sentAt: number,
): Promise<Answer<Static<S>>> => {
  const { io, dispatcher, origin, prefix, headers } = connection
  const { deadlineMs = answerWithinMs } = request
  const deadline = new AbortController()
  const cancel = io.clock.at(deadlineMs, () => deadline.abort(new Error(`no answer within ${deadlineMs} ms`)))
  const signal =
    request.signal === undefined ? deadline.signal : AbortSignal.any([deadline.signal, request.signal])
  try {
    const response = await dispatcher.request({
      origin,
      path: prefix + request.path,
      method: request.method ?? 'POST',
      headers: { ...headers, ...request.headers },
      body: request.body,
      signal,
    })
    const text = await response.body.text()
    if (response.statusCode !== 200) return refusal(response, text)
    const answer = request.answer(parse(text))
    if (!answer.ok) return failure('unavailable', 200, "the answer is not the control plane's")
    learnTime(connection, sentAt, (answer.value as { serverTime: number }).serverTime)
    return answer
  } catch (error) {
    if (request.signal?.aborted === true) return failure('aborted', 0, 'given up')
    return failure('unreachable', 0, describe(error))
  } finally {
    cancel()
  }
}

const learnTime = (connection: Connection, sentAt: number, serverTime: number): void => {
  const receivedAt = connection.io.clock.monotonic()
  connection.clockOffset = withSample(connection.clockOffset, { sentAt, receivedAt, serverTime })
  connection.offset = offsetOf(connection.clockOffset) ?? connection.offset
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // Whatever it is, it is not an answer of the control plane; the validator says so.
    return undefined
  }
}

const refusal = ({ statusCode, headers }: Dispatcher.ResponseData, text: string): Refusal => {
  const said = (parse(text) as { message?: unknown } | undefined | null)?.message
  const message = typeof said === 'string' ? said.slice(0, 300) : `status ${statusCode}`
  const retryAfterMs = Number(headers['retry-after'] ?? 0) * 1000 || 0
  if (statusCode === 401 || statusCode === 403)
    return { ...failure('unauthorized', statusCode, message), retryAfterMs }
  const final = statusCode >= 400 && statusCode < 500 && ![404, 408, 429].includes(statusCode)
  return { ...failure(final ? 'refused' : 'unavailable', statusCode, message), retryAfterMs }
}

const failure = (reason: Reason, status: number, message: string): Refusal => ({
  ok: false,
  reason,
  status,
  message,
  retryAfterMs: 0,
})

const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as NodeJS.ErrnoException
  return error.message === '' && code !== undefined ? code : error.message
}
