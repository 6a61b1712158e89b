import { isIP } from 'node:net'

/**
 * The bytes of an address as packets carry them: 4 or 16 of them, and 4 for IPv4 inside IPv6 (`::ffff:192.0.2.1`), which
 * leaves the machine as IPv4. A zone (`%eth0`) is no part of it. Null if the text is no address.
 */
export const addressBytes = (text: string): Buffer | null => {
  const address = text.split('%')[0] ?? ''
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  if (isIP(address) !== 6) return null
  const groups = groupsOf(address)
  const bytes = Buffer.from(groups.flatMap((group) => [group >> 8, group & 255]))
  return bytes.subarray(0, 12).equals(mapped) ? bytes.subarray(12) : bytes
}

const mapped = Buffer.from('00000000000000000000ffff', 'hex')

const groupsOf = (address: string): number[] => {
  // WHATWG URL writes IPv6 in one canonical form, also when its end is dotted IPv4.
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::')
  const left = numbers(head)
  if (tail === undefined) return left
  const right = numbers(tail)
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right]
}

const numbers = (text: string): number[] =>
  text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
