import dns from 'node:dns'
import { isIP } from 'node:net'
import { callbackify } from 'node:util'
import { commands, readReplies, readReply, type SocksRequest } from '../../egress-proxy/socks.ts'
import { askEgressProxy } from './ask-egress-proxy.ts'
import { lookupError } from './connect-error.ts'
import { questionsWith } from './questions.ts'

type ResolvedAddress = { address: string; family: number }
type Family = 0 | 4 | 6
type LookupOptions = { family?: number | 'IPv4' | 'IPv6'; all?: boolean }

/** Names are resolved by the egress proxy, as they are for checks: by DNS_SERVERS, or the machine's resolvers. */
export const hookNames = (egressProxyPort: number): void => {
  const ask = (request: SocksRequest) => askEgressProxy(request, egressProxyPort)
  const resolve: Resolve = async (host, family) => {
    const found = foundIn(await ask({ command: commands.resolve, host, port: family }))
    if (Array.isArray(found)) return found
    throw lookupError(found, 'getaddrinfo', host)
  }
  dns.promises.lookup = lookupWith(resolve) as typeof dns.promises.lookup
  dns.lookup = withCallback(dns.promises.lookup) as typeof dns.lookup
  const questions = questionsWith(ask)
  for (const owner of [dns.promises, dns.promises.Resolver.prototype]) Object.assign(owner, questions)
  for (const owner of [dns, dns.Resolver.prototype])
    for (const [name, question] of Object.entries(questions))
      Object.assign(owner, { [name]: withOptions(question) })
  forbidNameServers()
}

type Resolve = (host: string, family: Family) => Promise<ResolvedAddress[]>

/** The addresses, or the code of what went wrong. */
const foundIn = (bytes: Buffer): ResolvedAddress[] | string => {
  const found: ResolvedAddress[] = []
  let rest = bytes
  for (let read = readReplies(rest); typeof read === 'object'; read = readReply(rest)) {
    const { text, succeeded } = read.value
    if (!succeeded) return text
    found.push({ address: text, family: isIP(text) })
    rest = rest.subarray(read.length)
  }
  return found.length > 0 ? found : 'EAI_AGAIN'
}

const lookupWith =
  (resolve: Resolve) =>
  async (
    host: string,
    options: number | LookupOptions = {},
  ): Promise<ResolvedAddress | ResolvedAddress[]> => {
    const { family = 0, all = false } = typeof options === 'number' ? { family: options } : (options ?? {})
    const literal = isIP(host)
    // Node answers null for no name, against its types.
    if (!host) return all ? [] : { address: null as unknown as string, family: family === 6 ? 6 : 4 }
    const found = await (literal === 0
      ? resolve(host, familyOf(family))
      : [{ address: host, family: literal }])
    return all ? found : (found[0] as ResolvedAddress)
  }

const familyOf = (family: number | string): Family => {
  if (family === 4 || family === 'IPv4') return 4
  return family === 6 || family === 'IPv6' ? 6 : 0
}

type Callback = (error: Error | null, found?: string | ResolvedAddress[], family?: number) => void

/** As Node's own: one address comes as two arguments. */
const withCallback = (lookup: typeof dns.promises.lookup) => {
  const called = callbackify(
    lookup as (host: string, options: LookupOptions) => Promise<ResolvedAddress | ResolvedAddress[]>,
  )
  return (host: string, ...rest: [LookupOptions | number, Callback] | [Callback]): void => {
    const done = rest.at(-1) as Callback
    const options = (rest.length > 1 ? rest[0] : {}) as LookupOptions
    called(host, options, (error, found) => {
      if (error || Array.isArray(found)) done(error, found as ResolvedAddress[])
      else done(null, found.address, found.family)
    })
  }
}

/** Options stand between the name and the callback, or nothing does. */
const withOptions = (question: (name: string, options?: never) => Promise<unknown>) => {
  const called = callbackify(question as (name: string, options: unknown) => Promise<unknown>)
  return (name: string, ...rest: unknown[]): void =>
    called(
      name,
      rest.length > 1 ? rest[0] : undefined,
      rest.at(-1) as (error: Error | null, found: unknown) => void,
    )
}

const forbidNameServers = (): void => {
  const forbid = (): never => {
    throw new Error('Scripts cannot choose name servers')
  }
  const owners = [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]
  for (const owner of owners) owner.setServers = forbid
}
