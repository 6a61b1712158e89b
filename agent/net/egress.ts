import { BlockList, isIP } from 'node:net'

export type Egress = { allows(address: string): boolean }

export type EgressOptions = { blockedNetworks: readonly string[]; allowedNetworks: readonly string[] }

/**
 * Where checks may connect to, decided on the resolved address of every hop. BLOCKED_NETWORKS refuses;
 * ALLOWED_NETWORKS are exceptions to it, or, alone, the only networks that may be reached.
 */
export const createEgress = ({ blockedNetworks, allowedNetworks }: EgressOptions): Egress => {
  if (blockedNetworks.length === 0 && allowedNetworks.length === 0) return { allows: () => true }
  const blocked = networkList(blockedNetworks)
  const allowed = networkList(allowedNetworks)
  const refuseByDefault = blockedNetworks.length === 0
  return {
    allows: (text) => {
      const address = canonical(text)
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
      if (allowed.check(address, family)) return true
      return !refuseByDefault && !blocked.check(address, family)
    },
  }
}

/** `10.0.0.0/8`, `fd00::/8`, or a single address. */
export const parseNetwork = (text: string): { address: string; prefix: number } | null => {
  const [address = '', length, ...rest] = text.split('/')
  const version = isIP(address)
  const longest = version === 4 ? 32 : 128
  const prefix = length === undefined ? longest : Number(length)
  const valid = version !== 0 && rest.length === 0 && /^\d+$/.test(length ?? '0') && prefix <= longest
  return valid ? { address, prefix } : null
}

const networkList = (networks: readonly string[]): BlockList => {
  const list = new BlockList()
  for (const text of networks) {
    const network = parseNetwork(text)
    if (network === null) throw new Error(`${text} is not a network`)
    list.addSubnet(network.address, network.prefix, isIP(network.address) === 6 ? 'ipv6' : 'ipv4')
  }
  return list
}

/**
 * The address that a connection really reaches: IPv4 inside IPv6 (`::ffff:0:0/96` mapped, `64:ff9b::/96` translated,
 * RFC 6052) is judged as IPv4, and the unspecified address, which Linux connects to itself, as the loopback.
 */
const canonical = (text: string): string => {
  const address = text.split('%')[0] ?? text
  const inner = isIP(address) === 6 ? embedded(address) : address
  if (inner === '0.0.0.0') return '127.0.0.1'
  return inner === '::' ? '::1' : inner
}

const embedded = (address: string): string => {
  const groups = expand(address)
  const prefix = groups.slice(0, 6).join(':')
  if (prefix !== '0:0:0:0:0:ffff' && prefix !== '64:ff9b:0:0:0:0')
    return groups.every((group) => group === '0') ? '::' : address
  const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** The eight groups of an IPv6 address, in lower case without leading zeros. */
const expand = (address: string): string[] => {
  // WHATWG URL writes IPv6 in one canonical form, also when its end is dotted IPv4.
  const canonicalText = new URL(`http://[${address}]/`).hostname.slice(1, -1)
  const [head = '', tail] = canonicalText.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  return tail === undefined ? left : [...left, ...Array(8 - left.length - right.length).fill('0'), ...right]
}
