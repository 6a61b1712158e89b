import { boundedMemo } from '../../protocol/bounded-memo.ts'
import type { Job } from '../../protocol/job.ts'
import { networkList } from '../../protocol/networks/network-list.ts'

/** The host that a run speaks to first, as its check or location names it; empty for the name servers of this machine. */
export const contactedHost = ({ spec, proxyUrl }: Pick<Job, 'spec' | 'proxyUrl'>): string => {
  const request = (spec as { request?: Record<string, unknown> } | null)?.request ?? {}
  const address = proxyUrl ?? request.url
  if (typeof address === 'string' && address !== '') return hostOfAddress(address)
  const host = request.hostname ?? request.nameServer
  return typeof host === 'string' ? plainHost(host) : ''
}

const plainHost = (host: string): string => host.toLowerCase().replace(/^\[|\]$|\.$/g, '')

/** Checks come again with the address that they had: taking it apart costs more than looking it up. */
const maxCached = 2000
const maxCachedLength = 1000
const parseHost = (address: string): string => plainHost(URL.parse(address)?.hostname ?? address)
const knownHost = boundedMemo(parseHost, { limit: maxCached })
const hostOfAddress = (address: string): string =>
  address.length > maxCachedLength ? parseHost(address) : knownHost(address)

const loopbacks = networkList(['127.0.0.0/8', '::1/128', '0.0.0.0/32', '::/128'])

const isLocal = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || (/^[\d.]+$|:/.test(host) && loopbacks.has(host))

/** What is on this machine needs no network. */
export const isOnThisMachine: (host: string) => boolean = boundedMemo(isLocal, { limit: maxCached })
