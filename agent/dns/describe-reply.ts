import type { Failure } from '../../protocol/result.ts'
import { codeOf } from '../net/connect/failures.ts'
import type { Question } from './question.ts'
import type { NameServer, Reply } from './reply.ts'

/** `cut`: the answer over UDP was truncated, so that TCP was needed. */
type QueryDescription = {
  server: NameServer
  protocol: 'UDP' | 'TCP'
  cut: boolean
  question: Question
}

type ReplyFailure = Exclude<Reply, { kind: 'answer' | 'aborted' }>

/** Why a try brought no answer, in one sentence. */
export const describeReply = (reply: ReplyFailure, asker: QueryDescription): Failure => {
  const { server, protocol, cut, question } = asker
  const who = `The name server ${endpoint(server)}`
  const what = `the question for ${question.name || '.'} ${question.type} over ${protocol}${cut ? ', which its truncated answer over UDP made necessary' : ''}`
  if (reply.kind === 'malformed')
    return {
      code: 'MALFORMED_RESPONSE',
      message: `${who} answered ${what} with something that is not a DNS message`,
      network: false,
    }
  if (reply.kind === 'silence')
    return {
      code: 'TIMEOUT',
      message: `${who} did not answer ${what}${besides(reply.ignored)}`,
      network: true,
    }
  const code = codeOf(reply.error)
  return {
    code,
    message: sentences[code]?.(who, what) ?? `${who} could not be asked: ${code}`,
    network: true,
  }
}

const besides = (ignored: number): string => {
  if (ignored === 0) return ''
  return `; ${ignored === 1 ? 'a message' : `${ignored} messages`} with another id or question did not count`
}

const sentences: Record<string, (who: string, what: string) => string> = {
  ECONNREFUSED: (who, what) => `${who} refused ${what}: nothing listens there`,
  ECONNRESET: (who, what) => `${who} closed the connection before it answered ${what}`,
  EPIPE: (who, what) => `${who} closed the connection before it answered ${what}`,
  EHOSTUNREACH: (who) =>
    `${who} cannot be reached: there is no route to it, or a firewall on the way says that it is administratively prohibited`,
  ENETUNREACH: (who) => `${who} cannot be reached: its network cannot be reached from this machine`,
  EADDRNOTAVAIL: (who) => `${who} cannot be reached: this machine has no address to ask it from`,
  EACCES: (who) =>
    `${who} cannot be reached: a route of this machine or a firewall on the way says that it is administratively prohibited`,
  EPERM: (who) => `${who} cannot be asked: this machine does not allow it`,
}

/** `name:port`, with the address where the name says less. */
export const endpoint = ({ name, address, port }: NameServer): string => {
  const reached = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
  return name === address || name === reached ? reached : `${name} (${reached})`
}
