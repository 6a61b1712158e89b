import { isIP } from 'node:net'
import type { DnsRequest } from '../../protocol/checks/dns.ts'
import type { Failure } from '../../protocol/result.ts'
import {
  type ConnectionState,
  describeFailure,
  isMachineError,
  refusedByPolicy,
} from '../net/connect/failures.ts'
import type { Address } from '../net/connect/lookup.ts'
import type { Io } from '../net/io.ts'
import type { NameServer } from './reply.ts'

export const dnsPort = 53

/**
 * Whom to ask: the check's own name server, or else those of this machine in their order. The latter are the
 * operator's choice, which the policy on networks does not forbid; `port` belongs to the former.
 */
export const findNameServers = async (
  { nameServer, port }: Pick<Required<DnsRequest>, 'nameServer' | 'port'>,
  state: ConnectionState,
  io: Io,
): Promise<NameServer[] | Failure> => {
  if (nameServer === null) return io.nameServers().map(parseNameServer)
  const literal = withoutBrackets(nameServer)
  const found = isIP(literal) === 0 ? await lookUp(nameServer, state, io) : literal
  if (typeof found !== 'string') return found
  state.address = found
  return io.egress.allows(found) ? [{ name: nameServer, address: found, port }] : refusedByPolicy(state)
}

/** IPv4 first: whether a name server can be reached is asked in the way that works nearly everywhere. */
const lookUp = async (host: string, state: ConnectionState, io: Io): Promise<string | Failure> => {
  const started = io.clock.monotonic()
  const four = await ask(() => io.lookup(host, 4))
  const found = four instanceof Error ? await ask(() => io.lookup(host, 6)) : four
  if (!(found instanceof Error)) return found
  state.elapsedMs = io.clock.monotonic() - started
  return describeFailure(four instanceof Error ? four : found, state)
}

const ask = async (lookup: () => Promise<Address[]>): Promise<string | Error> => {
  try {
    const [first] = await lookup()
    return first?.address ?? Object.assign(new Error('no address'), { code: 'ENOTFOUND' })
  } catch (error) {
    if (!(error instanceof Error) || isMachineError(error)) throw error
    return error
  }
}

const withoutBrackets = (text: string): string =>
  text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text

/** `10.0.0.1`, `10.0.0.1:5353`, `fd00::1` or `[fd00::1]:5353`. */
export const parseNameServer = (text: string): NameServer => {
  if (isIP(text) !== 0) return { name: text, address: text, port: dnsPort }
  const [, address = text, port = String(dnsPort)] = /^\[?(.+?)\]?(?::(\d+))?$/.exec(text) ?? []
  return { name: text, address, port: Number(port) }
}
