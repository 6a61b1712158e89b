/**
 * Secrets at rest: AES-256-GCM (NIST SP 800-38D) with a random 96-bit nonce per value. A sealed value is
 * `v1.<key id>.<base64url of nonce, tag and ciphertext>`; the key id is the start of the key's SHA-256, so that a list
 * of keys can rotate: the first encrypts, all decrypt. Where the list can change while the program runs, it is asked for
 * at every use.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'

export type Cipher = {
  /** `context` (say, the row's id) must be the same when decrypting: a sealed value cannot be moved elsewhere. */
  encrypt(text: string, context?: string): string
  /** @throws Error when the key is not in the list, or the value or its context was changed. */
  decrypt(sealed: string, context?: string): string
  /** HMAC-SHA-256 of the text, 32 bytes, under a key that the first key yields for this purpose alone (HKDF, RFC 5869). */
  sign(text: string, purpose: string): Buffer
  /** Whether the signature is what one of the keys makes of the text, or the start of it; takes as long either way. */
  isSigned(signature: Buffer, text: string, purpose: string): boolean
}

/** The current list; the same array as long as nothing changed. */
export type Keyring = () => readonly Buffer[]

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

export const createCipher = (
  keys: readonly Buffer[] | Keyring,
  randomBytes: (size: number) => Buffer,
): Cipher => {
  const current = indexed(typeof keys === 'function' ? keys : () => keys)
  const signature = createSignature()
  current()
  return {
    encrypt: (text, context = '') => {
      const { first, firstId } = current()
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, first, nonce).setAAD(Buffer.from(context))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      const bytes = Buffer.concat([nonce, cipher.getAuthTag(), sealed])
      return `v1.${firstId}.${bytes.toString('base64url')}`
    },
    decrypt: (sealed, context = '') => {
      const [version, id = '', encoded = ''] = sealed.split('.')
      if (version !== 'v1') throw new Error('A sealed value has an unknown form')
      const key = current().byId.get(id)
      if (!key) throw new Error(`A sealed value needs encryption key ${id}, which is not in ENCRYPTION_KEY`)
      const bytes = Buffer.from(encoded, 'base64url')
      const nonce = bytes.subarray(0, nonceBytes)
      const tag = bytes.subarray(nonceBytes, nonceBytes + tagBytes)
      const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
      decipher.setAAD(Buffer.from(context)).setAuthTag(tag)
      const text = decipher.update(bytes.subarray(nonceBytes + tagBytes))
      return Buffer.concat([text, decipher.final()]).toString('utf8')
    },
    sign: (text, purpose) => signature(current().first, text, purpose),
    isSigned: (given, text, purpose) => {
      if (given.length < shortestSignature) return false
      const verdicts = current().keys.map((key) => {
        const whole = signature(key, text, purpose)
        return given.length <= whole.length && timingSafeEqual(given, whole.subarray(0, given.length))
      })
      return verdicts.includes(true)
    },
  }
}

/** 128 bits: shorter ones could be guessed (RFC 2104 section 5). */
const shortestSignature = 16

/** A key of a purpose is derived once: that costs many times what a signature does. */
const createSignature = () => {
  const known = new WeakMap<KeyObject, Map<string, KeyObject>>()
  return (key: KeyObject, text: string, purpose: string): Buffer => {
    const ofKey = known.get(key) ?? new Map<string, KeyObject>()
    const own = ofKey.get(purpose) ?? derivedKey(key, purpose)
    known.set(key, ofKey.set(purpose, own))
    return createHmac('sha256', own).update(text).digest()
  }
}

const derivedKey = (key: KeyObject, purpose: string): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', key, '', `watchpost ${purpose}`, 32)))

/** As objects of Node's: bytes would be made a key at each use, which takes four times as long as the use itself. */
type KeyIndex = {
  keyring: readonly Buffer[]
  keys: readonly KeyObject[]
  first: KeyObject
  firstId: string
  byId: ReadonlyMap<string, KeyObject>
}

const indexed = (keyring: Keyring): (() => KeyIndex) => {
  let known: KeyIndex | undefined
  return () => {
    const current = keyring()
    if (known?.keyring === current) return known
    const keys = current.map((key) => createSecretKey(key))
    const ids = current.map(keyId)
    const [first, firstId] = [keys[0], ids[0]]
    if (first === undefined || firstId === undefined) throw new Error('A cipher needs at least one key')
    const byId = new Map(keys.map((key, n) => [ids[n] as string, key]))
    known = { keyring: current, keys, first, firstId, byId }
    return known
  }
}

/** What a sealed value names its key by. */
export const keyId = (key: Buffer): string => createHash('sha256').update(key).digest('hex').slice(0, 8)

export type HasCipher = { cipher: Cipher }

export type HasRandomBytes = { randomBytes(size: number): Buffer }
