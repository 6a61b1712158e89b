import {
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
  }
}

type SealContext = { own: string; privateKey: KeyObject; jobId: string }

const decrypt = (bytes: Buffer, { own, privateKey, jobId }: SealContext): string => {
  const theirs = bytes.subarray(0, keyBytes)
  const publicKey = createPublicKey({
    key: { kty: 'OKP', crv: 'X25519', x: theirs.toString('base64url') },
    format: 'jwk',
  })
  const shared = diffieHellman({ privateKey, publicKey })
  const salt = Buffer.concat([theirs, Buffer.from(own, 'base64url')])
  const derived = Buffer.from(hkdfSync('sha256', shared, salt, sealedCertificateInfo, keyBytes + nonceBytes))
  const decipher = createDecipheriv(
    'aes-256-gcm',
    derived.subarray(0, keyBytes),
    derived.subarray(keyBytes),
    { authTagLength: tagBytes },
  )
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
