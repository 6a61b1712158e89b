import dns from 'node:dns'
import { isIP } from 'node:net'
import { callbackify } from 'node:util'
import type { ChildTask } from '../task.ts'

/** Whom a script's questions about names go to: DNS_SERVERS of the agent, as those of checks do, or the machine's resolvers. */
export const settleNames = ({ dnsServers }: Pick<ChildTask, 'dnsServers'>): void => {
  if (dnsServers.length > 0) askThese(dnsServers)
  forbidNameServers()
}

const askThese = (servers: readonly string[]): void => {
  dns.setServers(servers)
  dns.promises.setServers(servers)
  const { Resolver } = dns
  const { Resolver: PromiseResolver } = dns.promises
  const asking = (real: typeof Resolver | typeof PromiseResolver) =>
    new Proxy(real, {
      construct: (target, args, newTarget) => {
        const resolver = Reflect.construct(target, args, newTarget)
        Reflect.apply(setServers, resolver, [servers])
        return resolver
      },
    })
  const { setServers } = Resolver.prototype
  Object.assign(dns, { Resolver: asking(Resolver) })
  Object.assign(dns.promises, { Resolver: asking(PromiseResolver) })
  const resolver = new PromiseResolver({ timeout: 5000, tries: 2 })
  resolver.setServers(servers)
  dns.promises.lookup = lookupWith(resolver) as typeof dns.promises.lookup
  dns.lookup = withCallback(dns.promises.lookup) as typeof dns.lookup
}

type ResolvedAddress = { address: string; family: number }
type LookupOptions = { family?: number | 'IPv4' | 'IPv6'; all?: boolean }

const lookupWith =
  (resolver: InstanceType<typeof dns.promises.Resolver>) =>
  async (
    host: string,
    options: number | LookupOptions = {},
  ): Promise<ResolvedAddress | ResolvedAddress[]> => {
    const { family = 0, all = false } = typeof options === 'number' ? { family: options } : options
    const found = isIP(host) === 0 ? await ask(resolver, host, familiesOf(family)) : [addressOf(host)]
    return all ? found : (found[0] as ResolvedAddress)
  }

const familiesOf = (family: number | string): (4 | 6)[] => {
  if (family === 4 || family === 'IPv4') return [4]
  return family === 6 || family === 'IPv6' ? [6] : [4, 6]
}

const addressOf = (address: string): ResolvedAddress => ({ address, family: isIP(address) })

/** @throws what the first question failed with, as the lookup of Node calls it */
const ask = async (
  resolver: InstanceType<typeof dns.promises.Resolver>,
  host: string,
  families: readonly (4 | 6)[],
): Promise<ResolvedAddress[]> => {
  const answers = await Promise.allSettled(
    families.map((family) => (family === 4 ? resolver.resolve4(host) : resolver.resolve6(host))),
  )
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (found.length > 0) return found.map(addressOf)
  const failed = answers.find((answer) => answer.status === 'rejected')
  const code = String(failed?.reason?.code ?? 'ENOTFOUND').replace(/^ENODATA$/, 'ENOTFOUND')
  throw Object.assign(new Error(`getaddrinfo ${code} ${host}`), {
    code,
    syscall: 'getaddrinfo',
    hostname: host,
  })
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

/** Datagrams to elsewhere would pass by the policy on networks. */
const forbidNameServers = (): void => {
  const forbid = (): never => {
    throw new Error('Scripts cannot choose name servers')
  }
  const owners = [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]
  for (const owner of owners) owner.setServers = forbid
}
