/**
 * The points of Curve25519 of low order, little endian: with one of these as the other side's key every shared secret is
 * zero (RFC 7748 section 6.1), so nothing can be sealed to them. 0, 1, two of order 8, and p − 1, p, p + 1.
 */
const lowOrder: ReadonlySet<string> = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
])

/** Whether a text of 43 base64url characters is an X25519 public key that can be sealed to. */
export const canSealTo = (key: string): boolean => {
  const point = Buffer.from(key, 'base64url')
  // The highest bit says nothing (RFC 7748 section 5).
  point[31] = (point[31] ?? 0) & 0x7f
  return point.length === 32 && !lowOrder.has(point.toString('hex'))
}
