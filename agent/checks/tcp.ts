import type { AssertionOutcome } from '../../protocol/assertion.ts'
import { TcpSpec } from '../../protocol/checks/tcp.ts'
import type { TcpCheckResult } from '../../protocol/checks/tcp-result.ts'
import type { Failure, Observation } from '../../protocol/result.ts'
import type { Body } from '../assertions/material.ts'
import { type Sources, textSource, valueSource } from '../assertions/sources.ts'
import { connectOrTunnel } from '../net/connect/connect-or-tunnel.ts'
import type { Attempt } from '../net/connect/connection.ts'
import { describeFailure } from '../net/connect/failures.ts'
import { type PeerData, type ReadEnd, readUntilQuiet } from '../net/connect/read-until-quiet.ts'
import { failureOfAbort, whenAborted } from '../net/connect/when-aborted.ts'
import { maxStoredBytes } from '../net/http/stored-body.ts'
import type { Io } from '../net/io.ts'
import { familyOf, type ProbeModule, splitPort } from './probe-module.ts'
import { type RunContext, runner } from './runner.ts'

/** How long the answer to what was sent is waited for when no assertion looks at it. */
const unaskedSilenceMs = 5000

/** What a TCP connection offers to assertions: what the peer sent, and milliseconds. */
type TcpSubject = { data: Body; responseTime: number }

const tcpSources: Sources<TcpSubject> = {
  RESPONSE_DATA: textSource('response data', ({ data }) => data),
  RESPONSE_TIME: valueSource('response time', ({ responseTime }) => responseTime),
}

/** One TCP connection; what is sent over it, and what comes back if anything is expected to. */
export const runTcp = async (
  spec: TcpSpec,
  io: Io,
  { signal, judge }: Pick<RunContext, 'signal' | 'judge'>,
): Promise<Observation> => {
  const conversation = await converseWith(spec, io, signal)
  const { failure } = conversation
  const timingPhases = phasesOf(conversation)
  const responseTime = Math.round(timingPhases.total ?? 0)
  const data = Buffer.concat(conversation.received.parts)
  const assertions =
    failure === null
      ? await judge.evaluate(
          spec.request.assertions,
          { data: { bytes: data, type: null, isUtf8: true, cut: false }, responseTime },
          tcpSources,
        )
      : []
  return {
    responseTime,
    failure:
      failure !== null && spec.shouldFail && isUnanswered(failure, conversation.attempt) ? null : failure,
    assertions,
    degraded: false,
    metrics: Object.fromEntries(
      Object.entries(timingPhases).filter((phase): phase is [string, number] => phase[1] !== null),
    ),
    detail: detailOf({ spec, conversation, data, assertions, timingPhases }),
  }
}

const probe: ProbeModule = (target) => {
  const parts = splitPort(target)
  if (parts === null) return { problem: 'target must be a host and a port, such as db.example.com:5432' }
  const { host, port } = parts
  const request = { hostname: host, port, data: null, ipFamily: familyOf(host), assertions: [] }
  return { host, spec: { request, shouldFail: false } }
}

export const tcpRunner = {
  ...runner(TcpSpec, runTcp, ({ request }) => request.data === null),
  probes: { tcp_connect: probe },
}

type Conversation = {
  attempt: Attempt
  received: PeerData
  endedBy: ReadEnd | 'deadline' | null
  failure: Failure | null
  /** When the peer had said its last word, or when it failed to. */
  endedAt: number
}

const converseWith = async (spec: TcpSpec, io: Io, signal: AbortSignal): Promise<Conversation> => {
  const started = io.clock.monotonic()
  const attempt: Attempt = {
    state: { ...stateOf(spec), address: null, elapsedMs: 0, phase: 'lookup' },
    moments: { started, lookup: null, connect: null, secureConnect: null },
    socket: null,
    readBuffer: null,
    peer: null,
    over: false,
  }
  const conversation: Conversation = {
    attempt,
    received: { parts: [], bytes: 0, lastAt: null },
    endedBy: null,
    failure: null,
    endedAt: started,
  }
  const aborted = whenAborted(signal)
  try {
    const ended = await Promise.race([converse(spec, conversation, io), aborted.promise])
    if (ended === 'aborted') onAbort(conversation, signal)
  } finally {
    aborted.forget()
    attempt.over = true
    attempt.socket?.destroy()
  }
  const answered = conversation.received.lastAt ?? attempt.moments.connect
  conversation.endedAt = conversation.failure === null && answered !== null ? answered : io.clock.monotonic()
  return conversation
}

const stateOf = ({ request: { hostname, port } }: TcpSpec): { host: string; port: number } => ({
  host: hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname,
  port,
})

/** A peer that is still sending when the time is up has answered: what came until then is judged. */
const onAbort = (conversation: Conversation, signal: AbortSignal): void => {
  const failure = failureOfAbort(signal, conversation.attempt.state)
  conversation.endedBy = conversation.received.bytes > 0 ? 'deadline' : null
  conversation.failure = conversation.received.bytes > 0 ? null : failure
}

const converse = async ({ request }: TcpSpec, conversation: Conversation, io: Io): Promise<void> => {
  const { attempt, received } = conversation
  const target = { url: { protocol: 'tcp:' }, ipFamily: request.ipFamily, skipTls: true }
  conversation.failure = await connectOrTunnel(target, attempt, io)
  const { socket, state } = attempt
  if (conversation.failure !== null || socket === null) return
  const asked = request.assertions.some(({ source }) => source === 'RESPONSE_DATA')
  if (request.data === null && !asked) return
  if (request.data !== null) socket.write(request.data)
  const end = await readUntilQuiet(socket, {
    received,
    silenceMs: asked ? null : unaskedSilenceMs,
    clock: io.clock,
    onFirst: () => {
      state.phase = 'download'
    },
  })
  if (attempt.over) return
  if (!(end instanceof Error)) {
    conversation.endedBy = end
    return
  }
  state.elapsedMs = io.clock.monotonic() - attempt.moments.started
  conversation.failure = describeFailure(end, state)
}

/** What `shouldFail` asks for: nobody took the connection. */
const isUnanswered = ({ code }: Failure, { state }: Attempt): boolean =>
  state.phase === 'connect' && ['ECONNREFUSED', 'ETIMEDOUT', 'TIMEOUT'].includes(code)

const phasesOf = ({
  attempt: { moments },
  received,
  endedAt,
}: Conversation): TcpCheckResult['timingPhases'] => {
  const { started, lookup, connect } = moments
  return {
    dns: between(started, lookup),
    connection: between(lookup, connect),
    data: between(connect, received.lastAt),
    total: between(started, endedAt),
  }
}

/** Hundredths of a millisecond: more would be noise of the event loop. */
const between = (start: number | null, end: number | null): number | null =>
  start === null || end === null ? null : Math.round(Math.max(0, end - start) * 100) / 100

type DetailParts = {
  spec: TcpSpec
  conversation: Conversation
  data: Buffer
  assertions: AssertionOutcome[]
  timingPhases: TcpCheckResult['timingPhases']
}

const detailOf = ({
  spec: { request },
  conversation,
  data,
  assertions,
  timingPhases,
}: DetailParts): TcpCheckResult => {
  const { attempt, failure, endedBy } = conversation
  const { hostname, port, ipFamily } = request
  return {
    assertions,
    request: { hostname, port, ipFamily, data: request.data?.slice(0, maxStoredBytes) ?? null },
    response: {
      resolvedIp: attempt.state.address,
      ...storedData(data),
      dataBytes: data.length,
      truncated: data.length > maxStoredBytes || endedBy === 'limit' || endedBy === 'deadline',
      endedBy,
      error: failure === null ? null : errorOf(failure, attempt),
    },
    timingPhases,
    requestError: failure?.message ?? null,
  }
}

const storedData = (data: Buffer): { data: string; dataEncoding: 'utf8' | 'base64' } => {
  const start = data.subarray(0, maxStoredBytes)
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    // `stream` leaves out a character that our cut has split.
    return { data: decoder.decode(start, { stream: start.length < data.length }), dataEncoding: 'utf8' }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return { data: start.toString('base64'), dataEncoding: 'base64' }
  }
}

const syscalls = { lookup: 'getaddrinfo', connect: 'connect' } as const

const errorOf = ({ code }: Failure, { state }: Attempt): TcpCheckResult['response']['error'] => ({
  code,
  syscall: state.phase === 'lookup' || state.phase === 'connect' ? syscalls[state.phase] : 'read',
  address: state.address,
  port: state.port,
  hostname: state.host,
})
