import { boundedMemo } from '../../../protocol/bounded-memo.ts'
import { carriedIpv4, reachedAddress } from '../../../protocol/networks/ipv4-in-ipv6.ts'
import { networkList } from '../../../protocol/networks/network-list.ts'

export type Egress = { allows(address: string): boolean }

/** Addresses whose verdict is kept: the same ones come again and again, and the lists never change. */
const maxJudged = 1000

type EgressOptions = { blockedNetworks: readonly string[]; allowedNetworks: readonly string[] }

/**
 * Where clouds keep what only the machine itself may know, its credentials above all: the link-local network of nearly
 * all of them, then Alibaba, Azure's host, Oracle, and over IPv6 Amazon, Google and OpenStack.
 */
const metadataNetworks = [
  '169.254.0.0/16',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::/32',
  'fd20:ce::254',
  'fe80::a9fe:a9fe',
]

/**
 * Where checks may connect to, decided on the resolved address of every hop, and every connection goes to the address
 * that was judged. BLOCKED_NETWORKS refuses; ALLOWED_NETWORKS are exceptions to it, or, alone, the only networks that may
 * be reached. Metadata services are refused unless ALLOWED_NETWORKS holds their address. An address that carries another
 * one is refused if it or what it carries is blocked.
 */
export const createEgress = ({ blockedNetworks, allowedNetworks }: EgressOptions): Egress => {
  const blocked = networkList([...metadataNetworks, ...blockedNetworks])
  const allowed = networkList(allowedNetworks)
  const refuseByDefault = blockedNetworks.length === 0 && allowedNetworks.length > 0
  const isBlocked = (address: string): boolean => !allowed.has(address) && blocked.has(address)
  const judge = (text: string): boolean => {
    const address = reachedAddress(text)
    if (isBlocked(address) || carriedIpv4(address).some(isBlocked)) return false
    return !refuseByDefault || allowed.has(address)
  }
  return { allows: boundedMemo(judge, { limit: maxJudged }) }
}

/** Whether an address is refused for what is there, and not for what the operator has said. */
export const isMetadataAddress = (text: string): boolean => {
  const list = networkList(metadataNetworks)
  const address = reachedAddress(text)
  return [address, ...carriedIpv4(address)].some(list.has)
}
