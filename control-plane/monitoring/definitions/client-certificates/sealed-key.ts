import { type Static, Type } from 'typebox'
import type { Cipher } from '../../../platform/doors/secrets/cipher.ts'
import { storedDoc } from '../../../platform/store/database/stored-doc.ts'
import { nullable } from '../../../platform/words/shapes/nullable.ts'

const CertificateKey = Type.Object(
  { key: Type.String(), passphrase: nullable(Type.String()) },
  { additionalProperties: false },
)
export type CertificateKey = Static<typeof CertificateKey>

/** What `client_certificates.sealed_key` holds, opened. */
export const certificateKey = storedDoc({ name: 'key of a client certificate', schema: CertificateKey })

/** A sealed key opens only in its own row. */
export const contextOf = (id: string): string => `client-certificate ${id}`

export const sealKey = (cipher: Cipher, id: string, key: CertificateKey): string =>
  cipher.encrypt(certificateKey.write(key), contextOf(id))

export const openKey = (cipher: Cipher, id: string, sealed: string): CertificateKey =>
  certificateKey.read(cipher.decrypt(sealed, contextOf(id)))
