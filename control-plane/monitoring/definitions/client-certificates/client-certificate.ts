/** A client certificate: which host is shown it, and its key, sealed at rest and sealed again on its way to an agent. */
import { createCipheriv, createPublicKey, diffieHellman, generateKeyPairSync, hkdfSync } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { type CertificateContent, sealedCertificateInfo } from '../../../../protocol/job.ts'
import type { Cipher } from '../../../platform/services/secrets/cipher.ts'
import { storedDoc } from '../../../platform/store/database/stored-doc.ts'
import { nullable } from '../../../platform/words/shapes/nullable.ts'

const CertificateKey = Type.Object(
  { key: Type.String(), passphrase: nullable(Type.String()) },
  { additionalProperties: false },
)
type CertificateKey = Static<typeof CertificateKey>

/** What `client_certificates.sealed_key` holds, opened. */
export const certificateKey = storedDoc({ name: 'key of a client certificate', schema: CertificateKey })

/** A sealed key opens only in its own row. */
export const contextOf = (id: string): string => `client-certificate ${id}`

export const sealKey = (cipher: Cipher, id: string, key: CertificateKey): string =>
  cipher.encrypt(certificateKey.write(key), contextOf(id))

export const openKey = (cipher: Cipher, id: string, sealed: string): CertificateKey =>
  certificateKey.read(cipher.decrypt(sealed, contextOf(id)))

const keyBytes = 32
const nonceBytes = 12

/**
 * A certificate as only the agent can open it that asked with `sealTo`, and only for this job (protocol/job.ts,
 * `SealedCertificate`). Every call makes a key pair of its own, so that no nonce is ever used twice with one key.
 */
export const sealForAgent = (content: CertificateContent, sealTo: string, jobId: string): string => {
  const theirs = createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: sealTo }, format: 'jwk' })
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  const own = Buffer.from(publicKey.export({ format: 'jwk' }).x as string, 'base64url')
  const shared = diffieHellman({ privateKey, publicKey: theirs })
  const salt = Buffer.concat([own, Buffer.from(sealTo, 'base64url')])
  const derived = Buffer.from(hkdfSync('sha256', shared, salt, sealedCertificateInfo, keyBytes + nonceBytes))
  const cipher = createCipheriv('aes-256-gcm', derived.subarray(0, keyBytes), derived.subarray(keyBytes))
  cipher.setAAD(Buffer.from(jobId))
  const sealed = Buffer.concat([cipher.update(JSON.stringify(content), 'utf8'), cipher.final()])
  return Buffer.concat([own, cipher.getAuthTag(), sealed]).toString('base64url')
}

type Candidate = { id: string; host: string; createdAt: number }

/**
 * The certificate whose host pattern matches: a full host beats any wildcard, the newest wins among equals, and the
 * greater id among those of one instant. `*` stands for any characters, dots too; case does not count.
 */
export const certificateForHost = <C extends Candidate>(
  certificates: readonly C[],
  host: string,
): C | null => {
  const wanted = normalized(host)
  let best: C | null = null
  for (const candidate of certificates)
    if (matchesHost(candidate.host, wanted) && (best === null || beats(candidate, best))) best = candidate
  return best
}

const normalized = (host: string): string => host.toLowerCase().replace(/\.$/, '')

const isWildcard = ({ host }: Candidate): boolean => host.includes('*')

const beats = (a: Candidate, b: Candidate): boolean => {
  if (isWildcard(a) !== isWildcard(b)) return isWildcard(b)
  if (a.createdAt !== b.createdAt) return a.createdAt > b.createdAt
  return a.id > b.id
}

/** Greedy matching with one step back: linear in practice, never exponential however many stars a pattern has. */
const matchesHost = (pattern: string, host: string): boolean => {
  const glob = normalized(pattern)
  let at = 0
  let position = 0
  let star = -1
  let resume = 0
  while (position < host.length) {
    if (glob[at] === '*') {
      star = at++
      resume = position
    } else if (glob[at] === host[position]) {
      at++
      position++
    } else if (star >= 0) {
      at = star + 1
      position = ++resume
    } else return false
  }
  while (glob[at] === '*') at++
  return at === glob.length
}
