/** IPv4 addresses inside IPv6 addresses. Pure. */
import { isIP } from 'node:net'

/**
 * The address that a connection really reaches: IPv4 inside IPv6 (`::ffff:0:0/96` mapped, `64:ff9b::/96` translated,
 * RFC 6052) is that IPv4, and the unspecified address, which Linux connects to itself, the loopback.
 */
export const reachedAddress = (text: string): string => {
  const address = text.split('%')[0] ?? text
  const inner = isIP(address) === 6 ? translated(address) : address
  if (inner === '0.0.0.0') return '127.0.0.1'
  return inner === '::' ? '::1' : inner
}

const translated = (address: string): string => {
  const groups = ipv6Groups(address)
  const prefix = groups.slice(0, 6).join(':')
  if (prefix === '0:0:0:0:0:ffff' || prefix === '64:ff9b:0:0:0:0') return dotted(groups.slice(6))
  return groups.every((group) => group === '0') ? '::' : address
}

/**
 * IPv4 that some gateway on the way may take out of an IPv6 address: 6to4 (RFC 3056), Teredo's server and, inverted, its
 * client (RFC 4380), translation with a prefix of the site's own (RFC 8215), compatible (RFC 4291) and ISATAP (RFC 5214).
 */
export const carriedIpv4 = (address: string): string[] => {
  if (isIP(address) !== 6) return []
  const groups = ipv6Groups(address)
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
export const ipv6Groups = (address: string): string[] => {
  // WHATWG URL writes IPv6 in one canonical form, also when its end is dotted IPv4.
  const canonicalText = new URL(`http://[${address}]/`).hostname.slice(1, -1)
  const [head = '', tail] = canonicalText.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  return tail === undefined ? left : [...left, ...Array(8 - left.length - right.length).fill('0'), ...right]
}
