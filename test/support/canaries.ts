/** Secrets that a test plants and then looks for, in every form in which they could have got away. */
import { randomBytes } from 'node:crypto'

/** `writers`: a value that is locked, not secret: shown to READ_WRITE and above, and still never stored in clear. */
export type Audience = 'nobody' | 'writers'
export type Canary = { label: string; value: string; audience: Audience; forms: string[] }

export type Canaries = {
  planted: Canary[]
  /** A new secret. Letters and digits only: every field takes it. */
  plant(label: string, audience?: Audience): string
  /** A secret that exists already. */
  add(label: string, value: string, audience?: Audience): void
  /** `label (form)` of each that is in the bytes. */
  find(bytes: Buffer, which?: (canary: Canary) => boolean): string[]
}

/** Planted secrets begin alike: where no such beginning is, none of them has to be looked for in each of its forms. */
const sameInMost = 6

export const createCanaries = (): Canaries => {
  const planted: Canary[] = []
  const add: Canaries['add'] = (label, value, audience = 'nobody') => {
    planted.push({ label, value, audience, forms: formsOf(value) })
  }
  return {
    planted,
    add,
    plant: (label, audience) => {
      const value = `canary${randomBytes(12).toString('hex')}`
      add(label, value, audience)
      return value
    },
    find: (bytes, which = () => true) => {
      const text = bytes.toString('latin1')
      const begins = new Map<string, boolean>()
      const mayHold = (form: string): boolean => {
        const beginning = form.slice(0, sameInMost)
        const known = begins.get(beginning) ?? text.includes(beginning)
        begins.set(beginning, known)
        return known
      }
      return planted
        .filter(which)
        .flatMap(({ label, forms }) =>
          forms.flatMap((form) =>
            mayHold(form) && text.includes(form) ? [`${label} as ${form.slice(0, 60)}`] : [],
          ),
        )
    },
  }
}

const formsOf = (value: string): string[] => {
  const hex = Buffer.from(value).toString('hex')
  const percent = hex.replace(/../g, '%$&')
  const base64 = [0, 1, 2].map((shift) => base64Inside(value, shift))
  return [
    ...new Set([
      Buffer.from(value).toString('latin1'),
      JSON.stringify(value).slice(1, -1),
      encodeURIComponent(value),
      hex,
      hex.toUpperCase(),
      percent,
      percent.toUpperCase(),
      ...base64,
      ...base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
      value.toUpperCase(),
      ...['=', '\\x', '\\\\x'].flatMap((sign) => {
        const form = hex.replace(/../g, (two) => sign + two)
        return [form, form.replaceAll(/[a-f]/g, (digit) => digit.toUpperCase())]
      }),
      bytesOf(value, (byte) => `\\${byte.toString(8)}`),
      bytesOf(value, (byte) => `&#${byte};`),
      bytesOf(value, (byte) => `&#x${byte.toString(16)};`),
      Buffer.from(value, 'utf16le').toString('latin1').slice(0, -1),
    ]),
  ]
}

const bytesOf = (value: string, write: (byte: number) => string): string =>
  [...Buffer.from(value)].map(write).join('')

/** What is the same in the base64 of every text that has the value after `shift` (modulo 3) other bytes. */
const base64Inside = (value: string, shift: number): string => {
  const encoded = Buffer.from('\0'.repeat(shift) + value).toString('base64')
  const start = Math.ceil((shift * 8) / 6)
  const whole = Math.floor(((shift + Buffer.byteLength(value)) * 8) / 6)
  return encoded.slice(start, whole)
}
