import type { AssertionOutcome } from '../../protocol/assertion.ts'
import { GrpcSpec } from '../../protocol/checks/grpc.ts'
import { type GrpcCheckResult, type GrpcResponse, healthLabels } from '../../protocol/checks/grpc-result.ts'
import type { Job } from '../../protocol/job.ts'
import type { Failure, Observation } from '../../protocol/result.ts'
import { jsonSource, type Sources, textSource, valueSource } from '../assertions/sources.ts'
import { DeadlinePassed } from '../base/deadline.ts'
import type { Attempt } from '../net/connect/connection.ts'
import { failureOfAbort, whenAborted } from '../net/connect/when-aborted.ts'
import type { Metadata } from '../net/grpc/rpc.ts'
import { maxStoredBytes } from '../net/http/stored-body.ts'
import type { Io } from '../net/io.ts'
import { sensitiveHeaders } from '../scrub/scrub.ts'
import { render } from '../templates/render.ts'
import { RequestError } from '../templates/request-error.ts'
import type { GrpcCall, GrpcSeen } from './grpc-call.ts'
import { bare, familyOf, type ProbeModule, splitPort } from './probe-module.ts'
import { jobRunner, type RunContext, runVariables } from './runner.ts'

type GrpcJob = Omit<Job, 'spec'> & { spec: GrpcSpec }

/** What a call offers to assertions. `responseTime` is milliseconds. */
type GrpcSubject = GrpcSeen & { responseTime: number; text: string }

const grpcSources: Sources<GrpcSubject> = {
  RESPONSE_TIME: valueSource('response time', ({ responseTime }) => responseTime),
  GRPC_RESPONSE: jsonSource('message', ({ message }) => ({ value: message })),
  TEXT_BODY: textSource('message', ({ text }) => text),
  GRPC_METADATA: {
    ...valueSource('metadata', ({ metadata }, property) => metadataValue(metadata, property)),
    hides: ({ property }) => !property || sensitiveHeaders.has(property.toLowerCase()),
  },
  GRPC_HEALTHCHECK_STATUS: valueSource('health status', ({ health }) => health ?? undefined),
  GRPC_STATUS_CODE: valueSource('gRPC status', ({ status }) => status ?? undefined),
}

const metadataValue = (metadata: readonly Metadata[], property: string): string | undefined => {
  const values = metadata.filter(({ key }) => key === property.toLowerCase()).map(({ value }) => value)
  return values.length === 0 ? undefined : values.join(', ')
}

/** One call on a connection of its own, judged by its status, what the health service says and the assertions. */
export const runGrpc = async (
  job: GrpcJob,
  io: Io,
  { signal, judge }: Pick<RunContext, 'signal' | 'judge'>,
): Promise<Observation> => {
  const { request } = job.spec
  const filled = fillIn(job, io)
  if ('failure' in filled)
    return observed(job.spec, { failure: filled.failure, endedAt: io.clock.monotonic() })
  const attempt = attemptOf(request, io)
  const { seen, failure } = await inTime({ ...request, ...filled }, attempt, { io, signal })
  const endedAt = io.clock.monotonic()
  if (seen === null) return observed(job.spec, { attempt, failure, endedAt })
  const text = JSON.stringify(seen.message) ?? ''
  const subject = { ...seen, text, responseTime: Math.round(seen.callMs) }
  const assertions = await judge.evaluate(request.assertions, subject, grpcSources)
  return observed(job.spec, {
    attempt,
    seen,
    text,
    assertions,
    endedAt,
    failure: statusFailure(job.spec, seen),
  })
}

const probe: ProbeModule = (target, query) => {
  const parts = splitPort(target)
  if (parts === null) return { problem: 'target must be a host and a port, such as orders.example.com:443' }
  const { host, port } = parts
  const request = {
    ...{ hostname: host, port, ipFamily: familyOf(host), skipSSL: false, timeout: 30, mode: 'HEALTH' },
    ...{ tls: query.get('tls') !== 'false', metadata: [], serviceDefinition: 'REFLECTION', method: '' },
    ...{ protoContent: '', message: '', service: query.get('service') ?? '', assertions: [] },
  }
  return { host, spec: { request, shouldFail: false } }
}

/** Only questions of health can be asked again: what another call does nobody here knows. */
export const grpcRunner = {
  ...jobRunner(GrpcSpec, runGrpc, ({ request }) => request.mode === 'HEALTH'),
  probes: { grpc: probe },
}

/** The parts of the call that may hold templates. */
type Filled = Pick<GrpcSpec['request'], 'metadata' | 'message'>

const fillIn = (job: GrpcJob, io: Io): Filled | { failure: Failure } => {
  const { metadata, message } = job.spec.request
  const variables = new Map([
    ...runVariables(job),
    ...job.variables.map(({ key, value }) => [key, value] as const),
  ])
  const sources = { now: io.clock.now, random: io.random, newId: io.newId }
  const encode = (raw: string): string => raw
  const fill = (text: string, field: string): string =>
    render({ text, field, encode }, { variables, sources })
  try {
    return {
      metadata: metadata.map(({ key, value }) => ({
        key: key.toLowerCase(),
        value: fill(value, `the metadata ${key}`),
      })),
      message: fill(message, 'the message'),
    }
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    return { failure: { code: error.code, message: error.message, network: false } }
  }
}

const attemptOf = ({ hostname, port }: GrpcSpec['request'], { clock }: Io): Attempt => ({
  state: { host: bare(hostname), port, address: null, elapsedMs: 0, phase: 'lookup' },
  moments: { started: clock.monotonic(), lookup: null, connect: null, secureConnect: null },
  socket: null,
  readBuffer: null,
  peer: null,
  over: false,
})

/** The whole conversation within the check's own time. */
const inTime = async (
  call: GrpcCall,
  attempt: Attempt,
  { io, signal }: { io: Io; signal: AbortSignal },
): Promise<{ seen: GrpcSeen | null; failure: Failure | null }> => {
  // Its libraries are 30 MB and 0.1 s, which most agents never need.
  const { converse } = await import('./grpc-call.ts')
  const limitMs = call.timeout * 1000
  const late = new AbortController()
  const cancel = io.clock.at(limitMs, () => late.abort(new DeadlinePassed(limitMs)))
  const either = AbortSignal.any([signal, late.signal])
  const aborted = whenAborted(either)
  try {
    const ended = await Promise.race([
      converse(call, attempt, { io, endsAt: io.clock.monotonic() + limitMs }),
      aborted.promise,
    ])
    if (ended === 'aborted') return { seen: null, failure: failureOfAbort(either, attempt.state) }
    return 'failure' in ended ? { seen: null, failure: ended.failure } : { seen: ended, failure: null }
  } finally {
    cancel()
    aborted.forget()
    attempt.over = true
    attempt.socket?.destroy()
  }
}

/** What is wrong with the answer itself, where no assertion looks at that. */
const statusFailure = ({ request, shouldFail }: GrpcSpec, seen: GrpcSeen): Failure | null => {
  const judges = (source: string): boolean => request.assertions.some((one) => one.source === source)
  const { status, statusMessage, health } = seen
  if (shouldFail || judges('GRPC_STATUS_CODE')) return null
  if (request.mode === 'HEALTH' && (health !== null || status === 0)) {
    if (health === 1 || judges('GRPC_HEALTHCHECK_STATUS')) return null
    const who = request.service === '' ? 'The server' : `The service ${request.service}`
    const message = `${who} says that it is ${healthLabels[health ?? 0] ?? health}`
    return { code: 'NOT_SERVING', message, network: false }
  }
  if (status === 0) return null
  const words = statusMessage === '' ? '' : `: ${statusMessage}`
  const message = `The call ended with status ${status} (${statusName(status)})${words}`
  return { code: 'GRPC_STATUS', message: message.slice(0, 4000), network: false }
}

const statusNames = [
  ...['OK', 'CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND', 'ALREADY_EXISTS'],
  ...['PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION', 'ABORTED', 'OUT_OF_RANGE'],
  ...['UNIMPLEMENTED', 'INTERNAL', 'UNAVAILABLE', 'DATA_LOSS', 'UNAUTHENTICATED'],
]

const statusName = (status: number): string => statusNames[status] ?? 'no status of gRPC'

type Parts = {
  attempt?: Attempt
  seen?: GrpcSeen
  text?: string
  assertions?: AssertionOutcome[]
  failure: Failure | null
  endedAt: number
}

const observed = (spec: GrpcSpec, { attempt, seen, text = '', assertions = [], failure, endedAt }: Parts) => {
  const timingPhases = phasesOf(attempt, seen, endedAt)
  const phases = Object.entries(timingPhases).filter((phase): phase is [string, number] => phase[1] !== null)
  const detail: GrpcCheckResult = {
    assertions,
    request: requestOf(spec),
    grpcStatusCode: seen?.status ?? null,
    healthStatus: seen?.health ?? null,
    timingPhases,
    response: seen === undefined ? null : responseOf(spec, { seen, attempt, text }),
    requestError: failure?.message ?? null,
  }
  const responseTime = Math.round(seen?.callMs ?? timingPhases.total ?? 0)
  return { responseTime, failure, assertions, degraded: false, metrics: Object.fromEntries(phases), detail }
}

const requestOf = ({ request }: GrpcSpec): GrpcCheckResult['request'] => ({
  host: request.hostname,
  port: request.port,
  ipFamily: request.ipFamily,
  tls: request.tls,
  grpcMethod: request.mode === 'HEALTH' ? 'grpc.health.v1.Health/Check' : request.method,
  // As it is written: what its variables hold is nobody's to read.
  message: request.mode === 'HEALTH' ? '' : request.message.slice(0, maxStoredBytes),
})

const responseOf = (
  spec: GrpcSpec,
  { seen, attempt, text }: { seen: GrpcSeen; attempt: Attempt | undefined; text: string },
): GrpcResponse => ({
  grpcMode: spec.request.mode,
  host: spec.request.hostname,
  resolvedIp: attempt?.state.address ?? null,
  port: spec.request.port,
  grpcMethod: requestOf(spec).grpcMethod,
  responseMessage: text.slice(0, maxStoredBytes),
  truncated: text.length > maxStoredBytes,
  grpcStatusMessage: seen.statusMessage.slice(0, 4000),
  healthStatusLabel: seen.health === null ? null : (healthLabels[seen.health] ?? String(seen.health)),
  metadata: seen.metadata.map(({ key, value }) => ({
    key,
    value: sensitiveHeaders.has(key) ? '***' : value.slice(0, 1000),
  })),
  discoveredMethods: seen.methods,
})

const phasesOf = (
  attempt: Attempt | undefined,
  seen: GrpcSeen | undefined,
  endedAt: number,
): GrpcCheckResult['timingPhases'] => {
  const { started = endedAt, lookup = null, connect = null, secureConnect = null } = attempt?.moments ?? {}
  return {
    dns: between(started, lookup),
    tcp: between(lookup, connect),
    tls: between(connect, secureConnect),
    reflection: seen?.reflectionMs ?? null,
    call: seen?.callMs ?? null,
    total: between(started, endedAt),
  }
}

const between = (start: number | null, end: number | null): number | null =>
  start === null || end === null ? null : Math.round(Math.max(0, end - start) * 100) / 100
