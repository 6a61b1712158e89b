/**
 * Who is counted together: an IPv4 address is one client, an IPv6 address has as many neighbours as its network likes (a
 * site gets a /64 at least), and where there are too many to count each, so are whole networks. Pure.
 */
import { ipv6Groups } from '../../../../../protocol/networks/ipv4-in-ipv6.ts'

/** IPv4: itself. IPv6: its /64. */
export const clientNetwork = (address: string): string =>
  address.includes(':') ? prefixOf(address, 4) : address

/** IPv4: its /24. IPv6: its /48. */
export const siteNetwork = (address: string): string =>
  address.includes(':') ? prefixOf(address, 3) : `${address.slice(0, address.lastIndexOf('.'))}.0/24`

const prefixOf = (address: string, groups: number): string =>
  `${ipv6Groups(address).slice(0, groups).join(':')}::/${groups * 16}`
