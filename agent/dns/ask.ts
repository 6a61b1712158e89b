/**
 * Asking name servers. A *try* is one question and what came back within its time; *silence* is a try without an answer.
 *
 * A server is asked over UDP, and again over TCP when its answer does not fit a datagram; over TCP only when the check
 * says so. A server that cannot be reached, is silent or says that it cannot answer is passed over for the next. Who was
 * silent over UDP is asked once more when nobody has answered: a datagram may have got lost.
 *
 * Invariant: an answer counts only if its id and question are those that were sent.
 */
import { isIP } from 'node:net'
import type { Failure } from '../../protocol/result.ts'
import { isOutOfPorts } from '../net/connect/connection.ts'
import { type ConnectionState, isMachineError } from '../net/connect/failures.ts'
import type { Io } from '../net/io.ts'
import { askByDatagram } from './ask-by-datagram.ts'
import { askByStream } from './ask-by-stream.ts'
import { describeReply } from './describe-reply.ts'
import type { DnsMessage } from './message.ts'
import type { Question } from './question.ts'
import type { NameServer, QueryAttempt, Reply } from './reply.ts'

/** How long a server may take for one try. */
export const tryMs = 5000

type Protocol = 'UDP' | 'TCP'

/** What the tries of one check share. */
export type QueryContext = {
  question: Question
  protocol: Protocol
  /** Where the question is on its way, so that a deadline can say how far it got. */
  state: ConnectionState
  io: Io
  signal: AbortSignal
}

/** Who gave the final word, over what, and what it was. */
export type NameServerResult = { server: NameServer; protocol: Protocol } & (
  | { message: DnsMessage }
  | { failure: Failure; silent: boolean }
)

/** Codes that speak about the server and not about the name. */
const unable = new Set(['SERVFAIL', 'REFUSED', 'NOTIMP', 'FORMERR', 'NOTAUTH'])

/** null when the signal has aborted. */
export const askNameServers = async (
  servers: readonly NameServer[],
  context: QueryContext,
): Promise<NameServerResult | null> => {
  let best: NameServerResult | null = null
  const silent: NameServer[] = []
  for (const server of servers) {
    const result = await askServer(server, context)
    if (result === null) return null
    if ('message' in result && !unable.has(result.message.code)) return result
    if ('silent' in result && result.silent) silent.push(server)
    // An answer says more than none.
    if (best === null || 'failure' in best) best = result
  }
  if (best !== null && 'message' in best) return best
  if (context.protocol === 'TCP') return best
  for (const server of silent) {
    const result = await askServer(server, context)
    if (result === null || 'message' in result) return result
  }
  return best
}

const askServer = async (server: NameServer, context: QueryContext): Promise<NameServerResult | null> => {
  const { question, io, signal, state } = context
  Object.assign(state, { host: server.name, address: server.address, port: server.port })
  const attempt: QueryAttempt = { question, extended: true, server, timeoutMs: tryMs, io, signal }
  const first = await askOver(context.protocol, attempt)
  if (!refusesExtension(first.reply)) return conclude(first, server, context)
  return conclude(await askOver(context.protocol, { ...attempt, extended: false }), server, context)
}

type ProtocolReply = { reply: Reply; protocol: Protocol }

const askOver = async (protocol: Protocol, attempt: QueryAttempt): Promise<ProtocolReply> => {
  const reply = protocol === 'UDP' ? await askByDatagram(attempt) : await askByStream(attempt)
  const cut = reply.kind === 'answer' && reply.message.flags.tc && protocol === 'UDP'
  return cut ? { reply: await askByStream(attempt), protocol: 'TCP' } : { reply, protocol }
}

/** Old servers do not know EDNS (RFC 6891 section 7). */
const refusesExtension = (reply: Reply): boolean =>
  reply.kind === 'answer' && ['FORMERR', 'NOTIMP', 'BADVERS'].includes(reply.message.code)

const conclude = (
  { reply, protocol }: ProtocolReply,
  server: NameServer,
  context: QueryContext,
): NameServerResult | null => {
  if (reply.kind === 'aborted') return null
  if (reply.kind === 'answer') return { server, protocol, message: reply.message }
  if (reply.kind === 'error' && isOurs(reply.error, server)) throw reply.error
  const cut = protocol !== context.protocol
  const failure = describeReply(reply, { server, protocol, cut, question: context.question })
  return { server, protocol, failure, silent: reply.kind === 'silence' }
}

const isOurs = (error: Error, { address }: NameServer): boolean =>
  isMachineError(error) || isOutOfPorts(error, { family: isIP(address) === 6 ? 6 : 4 })
