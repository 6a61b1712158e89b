import { isIP } from 'node:net'
import { carriedIpv4 } from '../../../../protocol/networks/ipv4-in-ipv6.ts'
import { networkList } from '../../../../protocol/networks/network-list.ts'

/**
 * Where the control plane itself may connect to: everywhere but to networks that are not the internet's, unless
 * EGRESS_ALLOWED_NETWORKS names them. Judged on the resolved address.
 */
export type OutgoingNetworks = { allows(address: string): boolean }

/**
 * IANA's special-purpose registries (RFC 6890): unspecified, private (RFC 1918), shared (RFC 6598), loopback,
 * link-local with its metadata services, protocol and documentation ranges, benchmarks, multicast and reserved.
 */
const refusedIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/** Also what carries IPv4 inside, but for mapped, which is judged as IPv4, and ISATAP, which is judged as both. */
const refusedIpv6 = [
  '::/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]

/** @throws Error when a text is no network */
export const createOutgoingNetworks = (allowedNetworks: readonly string[]): OutgoingNetworks => {
  const refused = networkList([...refusedIpv4, ...refusedIpv6])
  const allowed = networkList(allowedNetworks)
  return {
    allows: (text) => {
      const address = text.split('%')[0] ?? text
      if (isIP(address) === 0) return false
      const isRefused = (one: string): boolean => !allowed.has(one) && refused.has(one)
      return allowed.has(address) || ![address, ...carriedIpv4(address)].some(isRefused)
    },
  }
}
