/**
 * The address at which an alert is acknowledged or snoozed. It stands in the message that a channel sends and names the alert, the
 * channel, the last moment, and a signature over them. Opening it changes nothing: mail scanners open everything.
 */

import type { App } from '../../platform/app/app.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'

/** Whoever comes later opens the check. */
export const alertLinkDays = 14

const channelBytes = 6
const expiryBytes = 4
const signedBytes = 16 + channelBytes + expiryBytes
/** With what is signed a multiple of three bytes: no two texts then mean the same token. */
const signatureBytes = 19
const token = new RegExp(`^[\\w-]{${((signedBytes + signatureBytes) / 3) * 4}}$`)
const purpose = 'answer to an alert'

export type LinkedAlert = {
  alertId: string
  /** The alert channel whose message has it; 0: a page of ours. */
  channelId: number
  /** Epoch milliseconds, a whole second. */
  expiresAt: number
}

export const alertLink = (app: App & HasCipher, linked: LinkedAlert): string =>
  `${app.config.baseUrl}/alerts/${alertToken(app, linked)}`

export const alertToken = (
  { cipher }: App & HasCipher,
  { alertId, channelId, expiresAt }: LinkedAlert,
): string => {
  const tail = Buffer.alloc(channelBytes + expiryBytes)
  tail.writeUIntBE(channelId, 0, channelBytes)
  tail.writeUInt32BE(Math.floor(expiresAt / 1000), channelBytes)
  const signed = Buffer.concat([idOf(alertId), tail])
  const signature = cipher.sign(signed.toString('hex'), purpose).subarray(0, signatureBytes)
  return Buffer.concat([signed, signature]).toString('base64url')
}

/** Undefined for a token that this installation has not made; whether it has expired is the caller's to ask. */
export const openAlertToken = ({ cipher }: App & HasCipher, text: string): LinkedAlert | undefined => {
  if (!token.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  const signed = bytes.subarray(0, signedBytes)
  if (!cipher.isSigned(bytes.subarray(signedBytes), signed.toString('hex'), purpose)) return undefined
  return {
    alertId: uuidOf(signed.subarray(0, 16)),
    channelId: signed.readUIntBE(16, channelBytes),
    expiresAt: signed.readUInt32BE(16 + channelBytes) * 1000,
  }
}

/** Ids in the tokens of links: 16 bytes instead of 36 characters. */
export const idOf = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex')

export const uuidOf = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
