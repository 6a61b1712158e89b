import type { AssertionOutcome } from '../../protocol/assertion.ts'
import { TcpSpec } from '../../protocol/checks/tcp.ts'
import type { TcpCheckResult } from '../../protocol/checks/tcp-result.ts'
import type { Failure, Observation } from '../../protocol/result.ts'
import { evaluate } from '../assertions/evaluate.ts'
import { tcpSources } from '../assertions/tcp-sources.ts'
import type { Io } from '../io.ts'
import { reach } from '../net/connect/connect-or-tunnel.ts'
import type { Attempt } from '../net/connect/connection.ts'
import { describeFailure } from '../net/connect/failures.ts'
import { type EndedBy, type Heard, hear } from '../net/connect/read-until-quiet.ts'
import { failureOfAbort, whenAborted } from '../net/connect/when-aborted.ts'
import { maxStoredBytes } from '../net/http/stored-body.ts'
import { runner } from './runner.ts'

/** How long the answer to what was sent is waited for when no assertion looks at it. */
const unaskedSilenceMs = 5000

/** One TCP connection; what is sent over it, and what comes back if anything is expected to. */
export const runTcp = async (spec: TcpSpec, io: Io, signal: AbortSignal): Promise<Observation> => {
  const talk = await talkTo(spec, io, signal)
  const { failure } = talk
  const timingPhases = phasesOf(talk)
  const responseTime = Math.round(timingPhases.total ?? 0)
  const data = Buffer.concat(talk.heard.parts)
  const assertions =
    failure === null
      ? evaluate(spec.request.assertions, { data: data.toString('utf8'), responseTime }, tcpSources)
      : []
  return {
    responseTime,
    failure: failure !== null && spec.shouldFail && isUnanswered(failure, talk.attempt) ? null : failure,
    assertions,
    degraded: false,
    metrics: Object.fromEntries(
      Object.entries(timingPhases).filter((phase): phase is [string, number] => phase[1] !== null),
    ),
    detail: detailOf({ spec, talk, data, assertions, timingPhases }),
  }
}

export const tcpRunner = runner(TcpSpec, runTcp)

type Talk = {
  attempt: Attempt
  heard: Heard
  endedBy: EndedBy | 'deadline' | null
  failure: Failure | null
  /** When the peer had said its last word, or when it failed to. */
  endedAt: number
}

const talkTo = async (spec: TcpSpec, io: Io, signal: AbortSignal): Promise<Talk> => {
  const started = io.clock.monotonic()
  const attempt: Attempt = {
    place: { ...placeOf(spec), address: null, elapsedMs: 0, phase: 'lookup' },
    moments: { started, lookup: null, connect: null, secureConnect: null },
    socket: null,
    incoming: null,
    flows: [],
    peer: null,
    over: false,
  }
  const talk: Talk = {
    attempt,
    heard: { parts: [], bytes: 0, lastAt: null },
    endedBy: null,
    failure: null,
    endedAt: started,
  }
  const aborted = whenAborted(signal)
  try {
    const ended = await Promise.race([converse(spec, talk, io), aborted.promise])
    if (ended === 'aborted') onAbort(talk, signal)
  } finally {
    aborted.forget()
    attempt.over = true
    attempt.socket?.destroy()
  }
  const answered = talk.heard.lastAt ?? attempt.moments.connect
  talk.endedAt = talk.failure === null && answered !== null ? answered : io.clock.monotonic()
  return talk
}

const placeOf = ({ request: { hostname, port } }: TcpSpec): { host: string; port: number } => ({
  host: hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname,
  port,
})

/** A peer that is still sending when the time is up has answered: what came until then is judged. */
const onAbort = (talk: Talk, signal: AbortSignal): void => {
  const failure = failureOfAbort(signal, talk.attempt.place)
  talk.endedBy = talk.heard.bytes > 0 ? 'deadline' : null
  talk.failure = talk.heard.bytes > 0 ? null : failure
}

const converse = async ({ request }: TcpSpec, talk: Talk, io: Io): Promise<void> => {
  const { attempt, heard } = talk
  const target = { url: { protocol: 'tcp:' }, ipFamily: request.ipFamily, skipTls: true }
  talk.failure = await reach(target, attempt, io)
  const { socket, place } = attempt
  if (talk.failure !== null || socket === null) return
  const asked = request.assertions.some(({ source }) => source === 'RESPONSE_DATA')
  if (request.data === null && !asked) return
  if (request.data !== null) socket.write(request.data)
  const end = await hear(socket, {
    heard,
    silenceMs: asked ? null : unaskedSilenceMs,
    clock: io.clock,
    onFirst: () => {
      place.phase = 'download'
    },
  })
  if (attempt.over) return
  if (!(end instanceof Error)) {
    talk.endedBy = end
    return
  }
  place.elapsedMs = io.clock.monotonic() - attempt.moments.started
  talk.failure = describeFailure(end, place)
}

/** What `shouldFail` asks for: nobody took the connection. */
const isUnanswered = ({ code }: Failure, { place }: Attempt): boolean =>
  place.phase === 'connect' && ['ECONNREFUSED', 'ETIMEDOUT', 'TIMEOUT'].includes(code)

const phasesOf = ({ attempt: { moments }, heard, endedAt }: Talk): TcpCheckResult['timingPhases'] => {
  const { started, lookup, connect } = moments
  return {
    dns: between(started, lookup),
    connection: between(lookup, connect),
    data: between(connect, heard.lastAt),
    total: between(started, endedAt),
  }
}

/** Hundredths of a millisecond: more would be noise of the event loop. */
const between = (start: number | null, end: number | null): number | null =>
  start === null || end === null ? null : Math.round(Math.max(0, end - start) * 100) / 100

type Seen = {
  spec: TcpSpec
  talk: Talk
  data: Buffer
  assertions: AssertionOutcome[]
  timingPhases: TcpCheckResult['timingPhases']
}

const detailOf = ({ spec: { request }, talk, data, assertions, timingPhases }: Seen): TcpCheckResult => {
  const { attempt, failure, endedBy } = talk
  const { hostname, port, ipFamily } = request
  return {
    assertions,
    request: { hostname, port, ipFamily, data: request.data?.slice(0, maxStoredBytes) ?? null },
    response: {
      resolvedIp: attempt.place.address,
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
    // `stream` leaves out a character that the cut has split.
    return { data: decoder.decode(start, { stream: true }), dataEncoding: 'utf8' }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return { data: start.toString('base64'), dataEncoding: 'base64' }
  }
}

const syscalls = { lookup: 'getaddrinfo', connect: 'connect' } as const

const errorOf = ({ code }: Failure, { place }: Attempt): TcpCheckResult['response']['error'] => ({
  code,
  syscall: place.phase === 'lookup' || place.phase === 'connect' ? syscalls[place.phase] : 'read',
  address: place.address,
  port: place.port,
  hostname: place.host,
})
