/**
 * Records of a file that nobody reads without the agent's API key. The file: a mark, a salt, and records, each its length, its ciphertext and
 * its tag. AES-256-GCM; the key is HKDF-SHA256 (RFC 5869) of the API key with the file's own salt, the nonce a record's number in the file:
 * a file has one writer, which never writes a number twice, and no record can be left out, moved or put in from elsewhere.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const mark = Buffer.from('watchpost orders 2\n')
const saltBytes = 16
const tagBytes = 16
const lengthBytes = 4
const algorithm = 'aes-256-gcm'

/** `owner`: whose file it is; with another one it cannot be opened. */
type RecordKey = { apiKey: string; owner: string }

export type RecordSealer = {
  /** What the file begins with. */
  head: Buffer
  seal(record: Buffer): Buffer
}

export const createRecordSealer = (owned: RecordKey): RecordSealer => {
  const salt = randomBytes(saltBytes)
  const key = keyOf(owned, salt)
  let count = 0
  const seal = (record: Buffer): Buffer => {
    const cipher = createCipheriv(algorithm, key, nonceOf(count), { authTagLength: tagBytes })
    count += 1
    const text = Buffer.concat([cipher.update(record), cipher.final()])
    const length = Buffer.alloc(lengthBytes)
    length.writeUInt32BE(text.length)
    return Buffer.concat([length, text, cipher.getAuthTag()])
  }
  // The first record says nothing: whether it opens tells a wrong key from a damaged file.
  return { head: Buffer.concat([mark, salt, seal(Buffer.alloc(0))]), seal }
}

/** `foreign`: it is no such file, or of another key. `damaged`: what follows the records cannot be read, such as a record half written. */
type OpenedRecords = { records: Buffer[]; end: 'whole' | 'damaged' | 'foreign' }

export const openRecords = (file: Buffer, owned: RecordKey): OpenedRecords => {
  const start = mark.length + saltBytes
  if (file.length < start || !file.subarray(0, mark.length).equals(mark))
    return { records: [], end: 'foreign' }
  const key = keyOf(owned, file.subarray(mark.length, start))
  const records: Buffer[] = []
  let at = start
  while (at < file.length) {
    const end = at + lengthBytes + lengthAt(file, at) + tagBytes
    const record =
      end > file.length ? null : opened(file.subarray(at + lengthBytes, end), key, records.length)
    if (record === null)
      return { records: records.slice(1), end: records.length === 0 ? 'foreign' : 'damaged' }
    records.push(record)
    at = end
  }
  return { records: records.slice(1), end: records.length === 0 ? 'foreign' : 'whole' }
}

const lengthAt = (file: Buffer, at: number): number =>
  at + lengthBytes > file.length ? Number.POSITIVE_INFINITY : file.readUInt32BE(at)

const opened = (sealed: Buffer, key: Buffer, count: number): Buffer | null => {
  const text = sealed.subarray(0, sealed.length - tagBytes)
  const decipher = createDecipheriv(algorithm, key, nonceOf(count), { authTagLength: tagBytes })
  decipher.setAuthTag(sealed.subarray(text.length))
  try {
    return Buffer.concat([decipher.update(text), decipher.final()])
  } catch {
    // Another key, another place, or not what was written: the caller says so.
    return null
  }
}

const keyOf = ({ apiKey, owner }: RecordKey, salt: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', apiKey, salt, `watchpost standing orders of ${owner}`, 32))

const nonceOf = (count: number): Buffer => {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64BE(BigInt(count), 4)
  return nonce
}
