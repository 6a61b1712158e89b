/**
 * By which way an address is reached, once it may be: directly, at exactly the address that was judged, or by the operator's
 * proxy. What resolves here is judged either way; behind a proxy the name is resolved once more, there, and what cannot be
 * resolved here is the proxy's to decide.
 */
import { lookup as resolveName } from 'node:dns/promises'
import { isIP } from 'node:net'
import { noProxies, type ProxySettings } from '../../../../protocol/networks/proxy.ts'
import { OutgoingError } from './outgoing-error.ts'
import type { OutgoingNetworks } from './outgoing-networks.ts'
import { type OutgoingProxy, proxyOf } from './outgoing-proxy.ts'

export type Address = { address: string; family: number }

export type Way = { pinned: Address } | { proxy: OutgoingProxy }

/** All addresses of a name, in the order to try. */
type Lookup = (host: string) => Promise<Address[]>

export type WayOptions = {
  networks: OutgoingNetworks
  proxies?: ProxySettings
  /** The system's resolver unless told otherwise. */
  lookup?: Lookup
}

/** @throws OutgoingError when it may not be reached, or the error of the lookup */
export const createWays = ({
  networks,
  proxies = noProxies,
  lookup = (host) => resolveName(host, { all: true }),
}: WayOptions): ((url: URL) => Promise<Way>) => {
  const quickLookup = createQuickLookup(lookup)
  return async (url) => {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const version = isIP(host)
    const proxy = proxyOf(url, proxies)
    const resolve = proxy === null ? lookup : quickLookup
    const addresses = version === 0 ? await resolve(host) : [{ address: host, family: version }]
    // A name with one foot inside is not trusted.
    const refused = addresses.find(({ address }) => !networks.allows(address))
    if (refused)
      throw new OutgoingError(
        'BLOCKED_BY_POLICY',
        `${host} (${refused.address}) is a private, loopback or link-local address outside EGRESS_ALLOWED_NETWORKS`,
        { permanent: true },
      )
    if (proxy !== null) return { proxy }
    const [pinned] = addresses
    if (pinned === undefined) throw new OutgoingError('ENOTFOUND', `${host} has no address`)
    return { pinned }
  }
}

const quickMs = 1000
/** Each keeps one of the four threads that Node has for files, too. */
const maxLate = 2

/** Of a name that nobody here knows: none. Behind a proxy there may be no name server that answers, and nobody waits for it. */
const createQuickLookup = (lookup: Lookup): Lookup => {
  let late = 0
  return async (host) => {
    if (late >= maxLate) return []
    const over = AbortSignal.timeout(quickMs)
    return new Promise((resolve) => {
      const tooLate = (): void => {
        late += 1
        resolve([])
      }
      over.addEventListener('abort', tooLate, { once: true })
      lookup(host)
        .then(resolve, () => resolve([]))
        .finally(() => {
          if (over.aborted) late -= 1
          over.removeEventListener('abort', tooLate)
        })
    })
  }
}
