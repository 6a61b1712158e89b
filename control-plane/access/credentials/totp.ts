/** Codes that change every 30 seconds (RFC 6238: SHA-1, six digits, as all authenticator apps have them), and their secret's address. Pure. */
import { createHmac, timingSafeEqual } from 'node:crypto'

const stepMs = 30_000
const digits = 6
/** RFC 4648 section 6. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export const base32 = (bytes: Buffer): string => {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)])
    .join('')
}

export const stepAt = (now: number): number => Math.floor(now / stepMs)

/** RFC 4226 section 5.3. */
export const codeOf = (secret: Buffer, step: number): string => {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 0xf
  const number = mac.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

type Attempt = { code: string; now: number; usedStep: number }

/** The step whose code it is: the one of now, or one beside it, and none that was used; null: none. */
export const stepOfCode = (secret: Buffer, { code, now, usedStep }: Attempt): number | null => {
  const given = Buffer.from(code.replace(/\s/g, ''))
  const steps = [-1, 0, 1].map((away) => stepAt(now) + away).filter((step) => step > usedStep)
  const right = steps.filter((step) => {
    const expected = Buffer.from(codeOf(secret, step))
    return expected.length === given.length && timingSafeEqual(expected, given)
  })
  return right[0] ?? null
}

/** What apps read from the picture. */
export const totpAddress = (secret: Buffer, { email, issuer }: { email: string; issuer: string }): string => {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`
}
