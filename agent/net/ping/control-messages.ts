/**
 * What the kernel says about one received message: when it arrived (epoch milliseconds), what was left of its hop limit,
 * and, in the queue of errors, which ICMP error came from where. Layouts: cmsg(3), socket(7), ip(7), ipv6(7); 64 bits.
 */
type MessageFacts = {
  at: number | null
  hopLimit: number | null
  error: { type: number; code: number; from: string | null } | null
}

const socketLevel = 1
const ipLevel = 0
const ipv6Level = 41
const timeStamp = 35
const ipTtl = 2
const ipError = 11
const ipv6HopLimit = 52
const ipv6Error = 25
const headerBytes = 16

/** Reads the control messages of one received message. What is not known is null. */
export const readControl = (control: Buffer): MessageFacts => {
  const facts: MessageFacts = { at: null, hopLimit: null, error: null }
  for (let start = 0; start + headerBytes <= control.length; ) {
    const length = control.readUInt32LE(start)
    if (length < headerBytes || start + length > control.length) break
    const level = control.readInt32LE(start + 8)
    const type = control.readInt32LE(start + 12)
    const data = control.subarray(start + headerBytes, start + length)
    if (level === socketLevel && type === timeStamp && data.length >= 16)
      facts.at = Number(data.readBigInt64LE(0)) * 1000 + Number(data.readBigInt64LE(8)) / 1e6
    else if (isAny(level, type, [ipLevel, ipTtl], [ipv6Level, ipv6HopLimit]) && data.length >= 4)
      facts.hopLimit = data.readInt32LE(0)
    else if (isAny(level, type, [ipLevel, ipError], [ipv6Level, ipv6Error]) && data.length >= 16)
      facts.error = readError(data)
    start += Math.ceil(length / 8) * 8
  }
  return facts
}

type Kind = readonly [level: number, type: number]

const isAny = (level: number, type: number, ...kinds: Kind[]): boolean =>
  kinds.some((kind) => kind[0] === level && kind[1] === type)

/** `struct sock_extended_err`, followed by the address of who sent the error. */
const readError = (data: Buffer): NonNullable<MessageFacts['error']> => ({
  type: data.readUInt8(5),
  code: data.readUInt8(6),
  from: readAddress(data.subarray(16)),
})

const readAddress = (data: Buffer): string | null => {
  const family = data.length >= 2 ? data.readUInt16LE(0) : 0
  if (family === 2 && data.length >= 8) return data.subarray(4, 8).join('.')
  if (family !== 10 || data.length < 24) return null
  const groups = Array.from({ length: 8 }, (_, i) => data.readUInt16BE(8 + 2 * i).toString(16))
  // WHATWG URL writes IPv6 in its canonical, shortened form.
  return new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1)
}
