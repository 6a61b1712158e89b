import { BlockList, isIP } from 'node:net'

export type Egress = { allows(address: string): boolean }

/** Addresses whose verdict is kept. */
const maxJudged = 1000

export type EgressOptions = { blockedNetworks: readonly string[]; allowedNetworks: readonly string[] }

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
 * be reached. Metadata services are refused unless ALLOWED_NETWORKS holds their address.
 */
export const createEgress = ({ blockedNetworks, allowedNetworks }: EgressOptions): Egress => {
  const blocked = networkList([...metadataNetworks, ...blockedNetworks])
  const allowed = networkList(allowedNetworks)
  const refuseByDefault = blockedNetworks.length === 0 && allowedNetworks.length > 0
  const isBlocked = (address: string): boolean => {
    const family = familyOf(address)
    return !allowed.check(address, family) && blocked.check(address, family)
  }
  const judge = (text: string): boolean => {
    const address = canonical(text)
    if (isBlocked(address) || carriedIpv4(address).some(isBlocked)) return false
    return !refuseByDefault || allowed.check(address, familyOf(address))
  }
  // The same addresses come again and again, and the lists never change.
  const judged = new Map<string, boolean>()
  return {
    allows: (text) => {
      const before = judged.get(text)
      if (before !== undefined) return before
      const verdict = judge(text)
      if (judged.size >= maxJudged) judged.clear()
      judged.set(text, verdict)
      return verdict
    },
  }
}

/** Whether an address is refused for what is there, and not for what the operator has said. */
export const isMetadataAddress = (text: string): boolean => {
  const list = networkList(metadataNetworks)
  const address = canonical(text)
  return [address, ...carriedIpv4(address)].some((one) => list.check(one, familyOf(one)))
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

export const networkList = (networks: readonly string[]): BlockList => {
  const list = new BlockList()
  for (const text of networks) {
    const network = parseNetwork(text)
    if (network === null) throw new Error(`${text} is not a network`)
    list.addSubnet(network.address, network.prefix, familyOf(network.address))
  }
  return list
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/**
 * The address that a connection really reaches: IPv4 inside IPv6 (`::ffff:0:0/96` mapped, `64:ff9b::/96` translated,
 * RFC 6052) is judged as IPv4, and the unspecified address, which Linux connects to itself, as the loopback.
 */
const canonical = (text: string): string => {
  const address = text.split('%')[0] ?? text
  const inner = isIP(address) === 6 ? translated(address) : address
  if (inner === '0.0.0.0') return '127.0.0.1'
  return inner === '::' ? '::1' : inner
}

const translated = (address: string): string => {
  const groups = expand(address)
  const prefix = groups.slice(0, 6).join(':')
  if (prefix === '0:0:0:0:0:ffff' || prefix === '64:ff9b:0:0:0:0') return dotted(groups.slice(6))
  return groups.every((group) => group === '0') ? '::' : address
}

/**
 * IPv4 that some gateway on the way may take out of an IPv6 address: 6to4 (RFC 3056), Teredo's server and, inverted, its
 * client (RFC 4380), translation with a prefix of the site's own (RFC 8215), compatible (RFC 4291) and ISATAP (RFC 5214).
 * Such an address is refused if it or what it carries is blocked.
 */
const carriedIpv4 = (address: string): string[] => {
  if (isIP(address) !== 6) return []
  const groups = expand(address)
  const [first, second, third] = groups
  const last = groups.slice(6)
  if (first === '2002') return [dotted(groups.slice(1, 3))]
  if (first === '2001' && second === '0') return [dotted(groups.slice(2, 4)), dotted(last, 0xffff)]
  if (first === '64' && second === 'ff9b' && third === '1') return [dotted(last)]
  // `::1` is the loopback of IPv6, and no address of IPv4.
  if (groups.slice(0, 6).every((group) => group === '0') && last[0] !== '0') return [dotted(last)]
  return groups[5] === '5efe' && (groups[4] === '0' || groups[4] === '200') ? [dotted(last)] : []
}

const dotted = (groups: readonly string[], inverted = 0): string => {
  const [high = 0, low = 0] = groups.map((group) => Number.parseInt(group, 16) ^ inverted)
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
