import type { Job } from '../../protocol/job.ts'
import { networkList } from '../../protocol/networks/network-list.ts'

/** The host that a run speaks to first, as its check or location names it; empty for the name servers of this machine. */
export const contactedHost = ({ spec, proxyUrl }: Pick<Job, 'spec' | 'proxyUrl'>): string => {
  const request = (spec as { request?: Record<string, unknown> } | null)?.request ?? {}
  const address = proxyUrl ?? request.url
  const host =
    typeof address === 'string' && address !== ''
      ? (URL.parse(address)?.hostname ?? address)
      : (request.hostname ?? request.nameServer)
  return typeof host === 'string' ? host.toLowerCase().replace(/^\[|\]$|\.$/g, '') : ''
}

const loopbacks = networkList(['127.0.0.0/8', '::1/128', '0.0.0.0/32', '::/128'])

/** What is on this machine needs no network. */
export const isOnThisMachine = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || (/^[\d.]+$|:/.test(host) && loopbacks.has(host))
