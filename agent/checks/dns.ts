import type { AssertionOutcome } from '../../protocol/assertion.ts'
import { DnsSpec } from '../../protocol/checks/dns.ts'
import { type DnsCheckResult, dnsRecordTypes } from '../../protocol/checks/dns-result.ts'
import type { Failure, Observation } from '../../protocol/result.ts'
import { jsonSource, type Sources, textSource, valueSource } from '../assertions/sources.ts'
import { jsonAnswer, textAnswer } from '../dns/answer.ts'
import { askNameServers, type NameServerResult, type QueryContext } from '../dns/ask.ts'
import { endpoint } from '../dns/describe-reply.ts'
import { findNameServers } from '../dns/name-servers.ts'
import { nameOfQuery } from '../dns/question.ts'
import type { ConnectionState } from '../net/connect/failures.ts'
import { failureOfAbort, whenAborted } from '../net/connect/when-aborted.ts'
import { maxStoredBytes } from '../net/http/stored-body.ts'
import type { Io } from '../net/io.ts'
import { bare, isHost, type ProbeModule, splitPort } from './probe-module.ts'
import { type RunContext, runner } from './runner.ts'

/** Records that a result stores. */
const maxStoredRecords = 100

/** What an answer of a name server offers to assertions. `responseTime` is milliseconds. */
type DnsSubject = { code: string; text: string; json: unknown; responseTime: number }

const dnsSources: Sources<DnsSubject> = {
  RESPONSE_TIME: valueSource('response time', ({ responseTime }) => responseTime),
  RESPONSE_CODE: valueSource('response code', ({ code }) => code),
  TEXT_ANSWER: textSource('text answer', ({ text }) => text),
  JSON_ANSWER: jsonSource('JSON answer', ({ json }) => ({ value: json })),
}

/** One question, asked until somebody answers; judged by its code and assertions. */
export const runDns = async (
  spec: DnsSpec,
  io: Io,
  { signal, judge }: Pick<RunContext, 'signal' | 'judge'>,
): Promise<Observation> => {
  const { query, recordType, assertions: wanted } = spec.request
  const name = nameOfQuery(query)
  if (name === null) return observed(spec, { failure: notAName(query) })
  const seen = await ask(spec, { question: { name, type: recordType }, io, signal })
  if ('failure' in seen) return observed(spec, seen)
  const { message } = seen.asked
  const responseTime = Math.round(seen.elapsedMs)
  const json = jsonAnswer(message)
  const text = textAnswer(message, responseTime)
  const subject = { code: message.code, text, json, responseTime }
  const assertions = await judge.evaluate(wanted, subject, dnsSources)
  const response = {
    returnCode: message.code,
    responseTime,
    protocol: seen.asked.protocol,
    answer: { ...json, Answer: json.Answer.slice(0, maxStoredRecords) },
    text: text.slice(0, maxStoredBytes),
    truncated: json.Answer.length > maxStoredRecords || text.length > maxStoredBytes,
  }
  return observed(spec, { ...seen, failure: codeFailure(spec, seen.asked), assertions, response })
}

const isRecordType = (text: string): boolean => (dnsRecordTypes as readonly string[]).includes(text)

const probe =
  (protocol: 'UDP' | 'TCP'): ProbeModule =>
  (target, query) => {
    const { host, port } = splitPort(target) ?? { host: bare(target), port: 53 }
    const name = query.get('query_name') ?? ''
    const recordType = (query.get('query_type') ?? 'A').toUpperCase()
    if (!isHost(host)) return { problem: 'target must be a name server, with or without a port' }
    if (!/^\S{1,100}$/.test(name)) return { problem: 'query_name must be the name to ask for' }
    if (!isRecordType(recordType))
      return { problem: `query_type must be one of ${dnsRecordTypes.join(', ')}` }
    const request = { query: name, recordType, nameServer: host, port, protocol, assertions: [] }
    return { host, spec: { request, shouldFail: false } }
  }

export const dnsRunner = {
  ...runner(DnsSpec, runDns, () => true),
  probes: { dns_udp: probe('UDP'), dns_tcp: probe('TCP') },
}

const notAName = (query: string): Failure => ({
  code: 'INVALID_NAME',
  message: `${query} is not a name that can be asked for: labels have 1 to 63 characters, names at most 253`,
  network: false,
})

/** Codes other than NOERROR fail a check that says nothing about codes itself. */
const codeFailure = (
  { request, shouldFail }: DnsSpec,
  { server, message }: Extract<NameServerResult, { message: unknown }>,
): Failure | null => {
  const judgesCode = request.assertions.some(({ source }) => source === 'RESPONSE_CODE')
  if (message.code === 'NOERROR' || shouldFail || judgesCode) return null
  return {
    code: 'DNS_RESPONSE_CODE',
    message: `The name server ${endpoint(server)} answered ${message.code} for ${request.query} ${request.recordType}`,
    network: false,
  }
}

type QueryOutcome = { elapsedMs: number; server: NameServerResult['server'] | null } & (
  | { asked: Extract<NameServerResult, { message: unknown }> }
  | { failure: Failure }
)

const ask = async (
  { request }: DnsSpec,
  { question, io, signal }: Pick<QueryContext, 'question' | 'io' | 'signal'>,
): Promise<QueryOutcome> => {
  const { nameServer, port, protocol } = request
  const state: ConnectionState = {
    host: nameServer ?? '',
    address: null,
    port,
    elapsedMs: 0,
    phase: 'lookup',
  }
  let started = io.clock.monotonic()
  const elapsed = (): number => io.clock.monotonic() - started
  const aborted = whenAborted(signal)
  const servers = await Promise.race([findNameServers({ nameServer, port }, state, io), aborted.promise])
  aborted.forget()
  if (servers === 'aborted')
    return { failure: failureOfAbort(signal, state), elapsedMs: elapsed(), server: null }
  if (!Array.isArray(servers)) return { failure: servers, elapsedMs: elapsed(), server: null }
  if (servers.length === 0) throw new Error('this machine has no name server, and DNS_SERVERS names none')
  state.phase = 'answer'
  started = io.clock.monotonic()
  const asked = await askNameServers(servers, { question, protocol, state, io, signal })
  const elapsedMs = elapsed()
  if (asked === null) return { failure: failureOfAbort(signal, state), elapsedMs, server: null }
  const { server } = asked
  return 'message' in asked ? { asked, elapsedMs, server } : { failure: asked.failure, elapsedMs, server }
}

type Result = {
  failure: Failure | null
  elapsedMs?: number
  server?: NameServerResult['server'] | null
  assertions?: AssertionOutcome[]
  response?: DnsCheckResult['response']
}

const observed = (
  { request }: DnsSpec,
  { failure, elapsedMs = 0, server = null, assertions = [], response = null }: Result,
): Observation => ({
  responseTime: Math.round(elapsedMs),
  failure,
  assertions,
  degraded: false,
  metrics: { total: Math.round(elapsedMs * 100) / 100 },
  detail: {
    assertions,
    request: {
      query: request.query,
      recordType: request.recordType,
      protocol: request.protocol,
      nameServer: request.nameServer,
      port: request.port,
    },
    nameServerInfo: server === null ? null : { name: server.name, host: server.address, port: server.port },
    response,
    // A code is an answer: it fails the check, and the question had no error.
    requestError: response === null ? (failure?.message ?? null) : null,
  } satisfies DnsCheckResult,
})
