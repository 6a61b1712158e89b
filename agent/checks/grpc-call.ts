/** The conversation of a gRPC check: connection, the service's descriptors, the call. What the target does is data. */
import type { TLSSocket } from 'node:tls'
import type { FileDescriptorProto } from '@bufbuild/protobuf/wkt'
import type { GrpcSpec } from '../../protocol/checks/grpc.ts'
import type { Failure } from '../../protocol/result.ts'
import { connectOrTunnel } from '../net/connect/connect-or-tunnel.ts'
import type { Attempt } from '../net/connect/connection.ts'
import { codeOf, describeFailure, hostAndPort } from '../net/connect/failures.ts'
import { healthPath, healthRequest, healthStatusOf } from '../net/grpc/health.ts'
import { findMethod, type Method, type MethodName, methodName } from '../net/grpc/method.ts'
import { filesOfProto } from '../net/grpc/proto-text.ts'
import { reflect } from '../net/grpc/reflection.ts'
import { type Metadata, openRpcSession, type RpcAnswer, type RpcSession } from '../net/grpc/rpc.ts'
import type { Io } from '../net/io.ts'

export type GrpcCall = GrpcSpec['request']

/** An answer with a status. `message`: what came as JSON, undefined where nothing did. */
export type GrpcSeen = {
  status: number
  statusMessage: string
  health: number | null
  message: unknown
  metadata: Metadata[]
  methods: string[]
  callMs: number
  reflectionMs: number | null
}

type Outcome = GrpcSeen | { failure: Failure }

type CallContext = { io: Io; endsAt: number }

export const converse = async (
  call: GrpcCall,
  attempt: Attempt,
  { io, endsAt }: CallContext,
): Promise<Outcome> => {
  const failure = await connectOrTunnel(
    {
      url: { protocol: call.tls ? 'https:' : 'tcp:' },
      ipFamily: call.ipFamily,
      skipTls: call.skipSSL,
      tls: { protocols: ['h2'] },
    },
    attempt,
    io,
  )
  const { socket, state } = attempt
  if (failure?.code === noProtocol) return { failure: withoutHttp2(state) }
  if (failure !== null) return { failure }
  if (socket === null) throw new Error('a connection without a socket')
  if (call.tls && (socket as TLSSocket).alpnProtocol !== 'h2') return { failure: withoutHttp2(state) }
  const session = openRpcSession(
    socket,
    { host: hostAndPort(state.host, state.port), isSecure: call.tls },
    io,
  )
  const conversation = { call, attempt, session, io, timeLeftMs: () => endsAt - io.clock.monotonic() }
  try {
    return await (call.mode === 'HEALTH' ? askHealth(conversation) : callMethod(conversation))
  } finally {
    session.close()
  }
}

/** What OpenSSL says where a server does not like the protocols that were offered. */
const noProtocol = 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL'

const withoutHttp2 = ({ host, port }: Attempt['state']): Failure =>
  failed(
    'NOT_HTTP2',
    `${hostAndPort(host, port)} does not offer HTTP/2 in its TLS handshake, which gRPC needs`,
  )

const failed = (code: string, message: string): Failure => ({
  code,
  message: message.slice(0, 4000),
  network: false,
})

type Conversation = {
  call: GrpcCall
  attempt: Attempt
  session: RpcSession
  io: Io
  timeLeftMs(): number
}

const askHealth = async ({ call, attempt, session, io, timeLeftMs }: Conversation): Promise<Outcome> => {
  const message = healthRequest(call.service)
  const answer = await session.call({
    ...{ path: healthPath, message, metadata: call.metadata, timeoutMs: timeLeftMs() },
  })
  if (answer.status === null) return { failure: unanswered(answer, attempt, io) }
  const health = healthStatusOf(answer.status, answer.messages[0])
  return { ...seenOf(answer), health, message: undefined, methods: [], reflectionMs: null }
}

const callMethod = async (conversation: Conversation): Promise<Outcome> => {
  const { call, attempt, session, io, timeLeftMs } = conversation
  const name = methodName(call.method)
  if (name === null)
    return {
      failure: failed('INVALID_METHOD', `"${call.method}" is no name of a method, such as shop.v1.Shop/Get`),
    }
  const began = io.clock.monotonic()
  const described = await describe(name, conversation)
  if ('failure' in described) return described
  const { method, methods, isReflected } = described
  const reflectionMs = isReflected ? rounded(io.clock.monotonic() - began) : null
  const message = attempted(() => method.encode(call.message))
  if ('problem' in message)
    return {
      failure: failed('INVALID_MESSAGE', `The message does not fit ${call.method}: ${message.problem}`),
    }
  const answer = await session.call({
    ...{ path: method.path, message: message.value, metadata: call.metadata, timeoutMs: timeLeftMs() },
  })
  if (answer.status === null) return { failure: unanswered(answer, attempt, io) }
  const [content] = answer.messages
  const decoded = content === undefined ? { value: undefined } : attempted(() => method.decode(content))
  if ('problem' in decoded)
    return {
      failure: failed('INVALID_ANSWER', `The answer is no message of ${call.method}: ${decoded.problem}`),
    }
  return { ...seenOf(answer), health: null, message: decoded.value, methods, reflectionMs }
}

type Described = { method: Method; methods: string[]; isReflected: boolean } | { failure: Failure }

const describe = async (name: MethodName, conversation: Conversation): Promise<Described> => {
  const { call } = conversation
  const files = await filesOf(name, conversation)
  if ('failure' in files) return files
  const found = attempted(() => findMethod(files.files, name))
  if ('problem' in found)
    return {
      failure: failed(
        'INVALID_SERVICE',
        `The description of ${name.service} cannot be used: ${found.problem}`,
      ),
    }
  const { method, methods } = found.value
  if (method === null) {
    const known =
      methods.length === 0 ? 'there is none at all' : `there are ${methods.slice(0, 20).join(', ')}`
    return {
      failure: failed('UNKNOWN_METHOD', `There is no method ${name.service}/${name.method}: ${known}`),
    }
  }
  return method.isUnary
    ? { method, methods, isReflected: call.serviceDefinition === 'REFLECTION' }
    : {
        failure: failed(
          'NOT_UNARY',
          `${name.service}/${name.method} is a stream: only unary methods can be called`,
        ),
      }
}

type Files = { files: FileDescriptorProto[] } | { failure: Failure }

const filesOf = async (
  { service }: MethodName,
  { call, attempt, session, io, timeLeftMs }: Conversation,
): Promise<Files> => {
  if (call.serviceDefinition === 'PROTO_FILE') {
    const read = attempted(() => filesOfProto(call.protoContent))
    return 'problem' in read
      ? { failure: failed('INVALID_PROTO', `The .proto file of the check cannot be read: ${read.problem}`) }
      : { files: read.value }
  }
  const reflected = await reflect(service, { session, metadata: call.metadata, timeLeftMs })
  if ('files' in reflected) return reflected
  const { answer, reason } = reflected
  if (answer !== null && answer.status === null) return { failure: unanswered(answer, attempt, io) }
  const { host, port } = attempt.state
  return {
    failure: failed(
      'REFLECTION_FAILED',
      `${hostAndPort(host, port)} does not describe ${service}: ${reason}`,
    ),
  }
}

/** Descriptors and messages are texts of people and bytes of targets: what is wrong with them is an answer, not a fault of ours. */
const attempted = <T>(act: () => T): { value: T } | { problem: string } => {
  try {
    return { value: act() }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return { problem: error.message || 'it does not fit together' }
  }
}

/** The connection broke, or what speaks there is not gRPC. */
const unanswered = ({ problem }: RpcAnswer, { state, moments }: Attempt, { clock }: Io): Failure => {
  const code = problem === null ? 'ECONNRESET' : codeOf(problem)
  const at = hostAndPort(state.host, state.port)
  state.elapsedMs = clock.monotonic() - moments.started
  if (code.startsWith('ERR_HTTP2_ERROR') || code === 'ERR_HTTP2_SESSION_ERROR')
    return failed('NOT_HTTP2', `${at} does not speak HTTP/2, which gRPC needs`)
  // Since TLS 1.3 a server refuses a client certificate only after the handshake.
  const isTls = code.startsWith('ERR_SSL')
  if (isTls || /^E(?!RR_)/.test(code))
    return describeFailure(problem ?? Object.assign(new Error(code), { code }), {
      ...state,
      phase: isTls ? 'handshake' : 'answer',
    })
  if (code.startsWith('ERR_HTTP2') && !code.startsWith('ERR_HTTP2_INVALID'))
    return {
      code: 'ECONNRESET',
      message: `${at} broke off the call: ${problem?.message ?? ''}`,
      network: true,
    }
  return failed(code, `${at} did not answer as gRPC does: ${problem?.message ?? ''}`)
}

const rounded = (milliseconds: number): number => Math.round(Math.max(0, milliseconds) * 100) / 100

const seenOf = (answer: RpcAnswer): Pick<GrpcSeen, 'status' | 'statusMessage' | 'metadata' | 'callMs'> => ({
  status: answer.status ?? 2,
  statusMessage: answer.statusMessage,
  metadata: answer.metadata,
  callMs: rounded(answer.endedAt - answer.sentAt),
})
