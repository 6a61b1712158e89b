/**
 * How much work an encrypted key asks for before its passphrase is known to be right. The key's sender chooses it, and
 * OpenSSL does it without a pause: a key that would stop everybody else is refused first.
 */

const sequenceTag = 0x30
const integerTag = 0x02
/** Of PBKDF2, a second or so. Usual keys ask for 2,048 to 600,000. */
const maxRounds = 2_000_000
/** Rounds times the length of the key, where it is told; of scrypt, N times r times p. */
const maxWork = 32 * maxRounds
/** Of the parameters' structure; known ones are four deep. */
const maxDepth = 8

/**
 * Whether the parameters of an `ENCRYPTED PRIVATE KEY` (RFC 5958 section 3, RFC 8018 appendix A) ask for too much, or
 * cannot be told.
 */
export const isTooCostly = (pem: string): boolean => {
  const blocks = pem.matchAll(/-----BEGIN ENCRYPTED PRIVATE KEY-----([A-Za-z0-9+/=\s]*)/g)
  return [...blocks].some(([, base64 = '']) => asksTooMuch(Buffer.from(base64, 'base64')))
}

const asksTooMuch = (der: Buffer): boolean => {
  const outer = elementAt(der, 0)
  const algorithm = outer && elementAt(outer.content, 0)
  if (!algorithm) return true
  const numbers = integersIn(algorithm.content, maxDepth)
  const work = numbers.reduce((product, number) => product * Math.max(1, number), 1)
  return work > maxWork || numbers.some((number) => number > maxRounds)
}

type Element = { tag: number; content: Buffer; end: number }

/** One DER element (X.690 section 8.1); null where there is none, or one of indefinite length. */
const elementAt = (der: Buffer, start: number): Element | null => {
  const tag = der[start]
  const first = der[start + 1]
  if (tag === undefined || first === undefined) return null
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f
  if (first === 0x80 || lengthBytes > 4 || start + 2 + lengthBytes > der.length) return null
  const length = lengthBytes === 0 ? first : der.readUIntBE(start + 2, lengthBytes)
  const from = start + 2 + lengthBytes
  return { tag, content: der.subarray(from, from + length), end: from + length }
}

/** All numbers of a key derivation multiply its cost: rounds and key length, or scrypt's N, r and p. Infinite: unreadable. */
const integersIn = (der: Buffer, depth: number): number[] => {
  if (depth === 0) return [Infinity]
  const found: number[] = []
  let at = 0
  while (at < der.length) {
    const element = elementAt(der, at)
    if (element === null) return [...found, Infinity]
    if (element.tag === sequenceTag)
      for (const number of integersIn(element.content, depth - 1)) found.push(number)
    if (element.tag === integerTag) found.push(Number(`0x${element.content.toString('hex') || '0'}`))
    at = element.end
  }
  return found
}
