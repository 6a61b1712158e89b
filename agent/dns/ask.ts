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
import type { Io } from '../io.ts'
import { isOutOfPorts } from '../net/connect/connection.ts'
import { isMachineError, type Place } from '../net/connect/failures.ts'
import { askByDatagram } from './ask-by-datagram.ts'
import { askByStream } from './ask-by-stream.ts'
import { describeReply } from './describe-reply.ts'
import type { DnsMessage } from './message.ts'
import type { Question } from './question.ts'
import type { Ask, NameServer, Reply } from './reply.ts'

/** How long a server may take for one try. */
export const tryMs = 5000

export type Protocol = 'UDP' | 'TCP'

export type Asking = {
  question: Question
  protocol: Protocol
  /** Where the question is on its way, so that a deadline can say how far it got. */
  place: Place
  io: Io
  signal: AbortSignal
}

/** Who gave the final word, over what, and what it was. */
export type Asked = { server: NameServer; protocol: Protocol } & (
  | { message: DnsMessage }
  | { failure: Failure; silent: boolean }
)

/** Codes that speak about the server and not about the name. */
const unable = new Set(['SERVFAIL', 'REFUSED', 'NOTIMP', 'FORMERR', 'NOTAUTH'])

/** null when the signal has aborted. */
export const askNameServers = async (
  servers: readonly NameServer[],
  asking: Asking,
): Promise<Asked | null> => {
  let best: Asked | null = null
  const silent: NameServer[] = []
  for (const server of servers) {
    const asked = await askServer(server, asking)
    if (asked === null) return null
    if ('message' in asked && !unable.has(asked.message.code)) return asked
    if ('silent' in asked && asked.silent) silent.push(server)
    // An answer says more than none.
    if (best === null || 'failure' in best) best = asked
  }
  if (best !== null && 'message' in best) return best
  if (asking.protocol === 'TCP') return best
  for (const server of silent) {
    const asked = await askServer(server, asking)
    if (asked === null || 'message' in asked) return asked
  }
  return best
}

const askServer = async (server: NameServer, asking: Asking): Promise<Asked | null> => {
  const { question, io, signal, place } = asking
  Object.assign(place, { host: server.name, address: server.address, port: server.port })
  const ask: Ask = { question, extended: true, server, timeoutMs: tryMs, io, signal }
  const first = await askOver(asking.protocol, ask)
  if (!refusesExtension(first.reply)) return conclude(first, server, asking)
  return conclude(await askOver(asking.protocol, { ...ask, extended: false }), server, asking)
}

type Said = { reply: Reply; protocol: Protocol }

const askOver = async (protocol: Protocol, ask: Ask): Promise<Said> => {
  const reply = protocol === 'UDP' ? await askByDatagram(ask) : await askByStream(ask)
  const cut = reply.kind === 'answer' && reply.message.flags.tc && protocol === 'UDP'
  return cut ? { reply: await askByStream(ask), protocol: 'TCP' } : { reply, protocol }
}

/** Old servers do not know EDNS (RFC 6891 section 7). */
const refusesExtension = (reply: Reply): boolean =>
  reply.kind === 'answer' && ['FORMERR', 'NOTIMP', 'BADVERS'].includes(reply.message.code)

const conclude = ({ reply, protocol }: Said, server: NameServer, asking: Asking): Asked | null => {
  if (reply.kind === 'aborted') return null
  if (reply.kind === 'answer') return { server, protocol, message: reply.message }
  if (reply.kind === 'error' && isOurs(reply.error, server)) throw reply.error
  const cut = protocol !== asking.protocol
  const failure = describeReply(reply, { server, protocol, cut, question: asking.question })
  return { server, protocol, failure, silent: reply.kind === 'silence' }
}

const isOurs = (error: Error, { address }: NameServer): boolean =>
  isMachineError(error) || isOutOfPorts(error, { family: isIP(address) === 6 ? 6 : 4 })
