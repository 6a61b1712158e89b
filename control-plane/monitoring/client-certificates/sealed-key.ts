import type { Cipher } from '../../platform/secrets/cipher.ts'

export type CertificateKey = { key: string; passphrase: string | null }

/** A sealed key opens only in its own row. */
export const contextOf = (id: string): string => `client-certificate ${id}`

export const sealKey = (cipher: Cipher, id: string, key: CertificateKey): string =>
  cipher.encrypt(JSON.stringify(key), contextOf(id))

export const openKey = (cipher: Cipher, id: string, sealed: string): CertificateKey =>
  JSON.parse(cipher.decrypt(sealed, contextOf(id))) as CertificateKey
