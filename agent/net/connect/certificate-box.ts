import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'
import { CertificateContent, sealedCertificateInfo } from '../../../protocol/job.ts'
import { compile } from '../../../protocol/validate.ts'

/**
 * Opens client certificates that were sealed for this process (protocol/job.ts, `SealedCertificate`). The private key
 * lives in memory only and goes with the process: what an earlier one was given can never be opened again.
 */
export type CertificateBox = {
  /** What the control plane seals to: base64url. */
  publicKey: string
  /** @throws Error when it is not for this process or not for this job; the message shows nothing of what is inside. */
  open(sealed: string, jobId: string): CertificateContent
  /** Seals one to itself, for a job that this agent gives itself. */
  seal(content: CertificateContent, jobId: string): string
}

const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

const validate = compile(CertificateContent)

/** A box with a new pair of keys. */
export const createCertificateBox = (): CertificateBox => {
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  const own = publicKey.export({ format: 'jwk' }).x as string
  return {
    publicKey: own,
    open: (sealed, jobId) => {
      const content = parsed(() => decrypt(Buffer.from(sealed, 'base64url'), { own, privateKey, jobId }))
      if (content?.ok !== true) throw new Error('the sealed client certificate is not for this agent and job')
      return content.value
    },
    seal: (content, jobId) => encrypt(JSON.stringify(content), { own, publicKey, jobId }),
  }
}

const encrypt = (
  text: string,
  { own, publicKey, jobId }: { own: string; publicKey: KeyObject; jobId: string },
): string => {
  const once = generateKeyPairSync('x25519')
  const theirs = Buffer.from(once.publicKey.export({ format: 'jwk' }).x as string, 'base64url')
  const shared = diffieHellman({ privateKey: once.privateKey, publicKey })
  const { key, nonce } = keysOf(shared, theirs, own)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
  cipher.setAAD(Buffer.from(jobId))
  const sealed = Buffer.concat([cipher.update(text), cipher.final()])
  return Buffer.concat([theirs, cipher.getAuthTag(), sealed]).toString('base64url')
}

const keysOf = (shared: Buffer, theirs: Buffer, own: string): { key: Buffer; nonce: Buffer } => {
  const salt = Buffer.concat([theirs, Buffer.from(own, 'base64url')])
  const derived = Buffer.from(hkdfSync('sha256', shared, salt, sealedCertificateInfo, keyBytes + nonceBytes))
  return { key: derived.subarray(0, keyBytes), nonce: derived.subarray(keyBytes) }
}

type SealContext = { own: string; privateKey: KeyObject; jobId: string }

const decrypt = (bytes: Buffer, { own, privateKey, jobId }: SealContext): string => {
  const theirs = bytes.subarray(0, keyBytes)
  const publicKey = createPublicKey({
    key: { kty: 'OKP', crv: 'X25519', x: theirs.toString('base64url') },
    format: 'jwk',
  })
  const shared = diffieHellman({ privateKey, publicKey })
  const { key, nonce } = keysOf(shared, theirs, own)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(jobId)).setAuthTag(bytes.subarray(keyBytes, keyBytes + tagBytes))
  return Buffer.concat([decipher.update(bytes.subarray(keyBytes + tagBytes)), decipher.final()]).toString()
}

/** OpenSSL's and the parser's messages would not help anybody, and the latter quotes what it read. */
const parsed = (read: () => string): ReturnType<typeof validate> | null => {
  try {
    return validate(JSON.parse(read()))
  } catch {
    return null
  }
}
