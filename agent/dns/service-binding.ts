import { escaped } from './quoted.ts'

/** Names of parameters (RFC 9460 section 14.3.2). */
const keys = [
  'mandatory',
  'alpn',
  'no-default-alpn',
  'port',
  'ipv4hint',
  'ech',
  'ipv6hint',
  'dohpath',
  'ohttp',
]

const nameOf = (key: number): string => keys[key] ?? `key${key}`

/** The data of an HTTPS or SVCB record (RFC 9460 section 2.2): priority, target, and parameters in quotes. */
export const serializeServiceBinding = (data: Buffer): string => {
  const target = readName(data, 2)
  const words = [String(data.readUInt16BE(0)), target.name]
  let offset = target.end
  while (offset < data.length) {
    const key = data.readUInt16BE(offset)
    const end = offset + 4 + data.readUInt16BE(offset + 2)
    if (end > data.length) throw new RangeError('a parameter is cut off')
    const value = serializeValue(key, data.subarray(offset + 4, end))
    words.push(value === '' ? nameOf(key) : `${nameOf(key)}="${value}"`)
    offset = end
  }
  return words.join(' ')
}

const readName = (data: Buffer, start: number): { name: string; end: number } => {
  let name = ''
  let offset = start
  for (let length = data.readUInt8(offset); length > 0; length = data.readUInt8(offset)) {
    const end = offset + 1 + length
    if (length > 63 || end > data.length) throw new RangeError('a name is cut off')
    name += `${data.toString('latin1', offset + 1, end)}.`
    offset = end
  }
  return { name: name === '' ? '.' : name, end: offset + 1 }
}

const serializeValue = (key: number, value: Buffer): string => {
  const named = nameOf(key)
  if (named === 'mandatory') return pieces(value, 2, (part) => nameOf(part.readUInt16BE())).join(',')
  if (named === 'alpn') return strings(value).join(',')
  if (named === 'port') return String(value.readUInt16BE())
  if (named === 'ipv4hint') return pieces(value, 4, (part) => part.join('.')).join(',')
  if (named === 'ipv6hint') return pieces(value, 16, ipv6).join(',')
  if (named === 'ech') return value.toString('base64')
  return escaped(value)
}

const pieces = (value: Buffer, size: number, read: (part: Buffer) => string): string[] =>
  Array.from({ length: Math.floor(value.length / size) }, (_, index) =>
    read(value.subarray(index * size, (index + 1) * size)),
  )

const ipv6 = (part: Buffer): string =>
  ipv6Text(
    new URL(`http://[${pieces(part, 2, (group) => group.toString('hex')).join(':')}]/`).hostname.slice(1, -1),
  )

/** Strings that begin with their length. */
const strings = (value: Buffer): string[] => {
  const found: string[] = []
  for (let offset = 0; offset < value.length; offset += 1 + value.readUInt8(offset))
    found.push(value.toString('latin1', offset + 1, offset + 1 + value.readUInt8(offset)))
  return found
}

/** An IPv6 address as people read it (RFC 5952): IPv4 that is mapped into it shows as such (section 5). Pure. */
export const ipv6Text = (canonical: string): string => {
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(canonical) ?? []
  if (high === undefined || low === undefined) return canonical
  const groups = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return `::ffff:${groups.flatMap((group) => [group >> 8, group & 255]).join('.')}`
}
