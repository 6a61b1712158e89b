/**
 * The address of one file of a result, for a program that shall read this file and nothing else: Playwright's trace viewer. It names
 * the result, the file's position in it, until when it is valid, and a signature over them. No other address can be derived from it.
 */

import type { App } from '../../platform/app/app.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import { tracePath } from '../trace-viewer/viewer-policy.ts'

/** The viewer's worker forgets what it has read and reads it again, for as long as somebody looks at it. */
export const fileLinkMs = 60 * 60_000

const idBytes = 16
const signedBytes = idBytes + 2 + 4
/** So that the whole is a multiple of three bytes: no two texts then mean the same token. */
const signatureBytes = 20
const token = new RegExp(`^[\\w-]{${((signedBytes + signatureBytes) / 3) * 4}}$`)
const purpose = 'file of a result'

type LinkedFile = { resultId: string; position: number; expiresAt: number }

export const fileLink = (app: App & HasCipher, { resultId, position, expiresAt }: LinkedFile): string => {
  const claims = Buffer.alloc(6)
  claims.writeUInt16BE(position)
  claims.writeUInt32BE(Math.floor(expiresAt / 1000), 2)
  const signed = Buffer.concat([Buffer.from(resultId.replaceAll('-', ''), 'hex'), claims])
  const signature = app.cipher.sign(signed.toString('hex'), purpose).subarray(0, signatureBytes)
  return `${app.config.baseUrl}${tracePath}/${Buffer.concat([signed, signature]).toString('base64url')}`
}

/** Undefined for a token that this installation has not made; whether it has expired is the caller's to ask. */
export const openFileToken = ({ cipher }: App & HasCipher, text: string): LinkedFile | undefined => {
  if (!token.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  const signed = bytes.subarray(0, signedBytes)
  if (!cipher.isSigned(bytes.subarray(signedBytes), signed.toString('hex'), purpose)) return undefined
  const id = signed.toString('hex', 0, idBytes)
  return {
    resultId: id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    position: signed.readUInt16BE(idBytes),
    expiresAt: signed.readUInt32BE(idBytes + 2) * 1000,
  }
}
