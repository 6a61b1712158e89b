/**
 * The address of a result's page. Whoever has it may read that one result, without a key, until it expires: it names the
 * check, the result (none: the newest one), the last moment, and a signature over them that only this installation can
 * make. The same event always gets the same address.
 */

import type { App } from '../../platform/app/app.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import { idOf, uuidOf } from './alert-link.ts'

/** Long enough to look back at last month's bad night, and as long as the files of a result are kept. */
export const linkDays = 30

const idBytes = 16
const expiryBytes = 4
/** 144 bits, so that the whole is a multiple of three bytes: no two texts then mean the same token. */
const signatureBytes = 18
const signedBytes = 2 * idBytes + expiryBytes
const token = new RegExp(`^[\\w-]{${((signedBytes + signatureBytes) / 3) * 4}}$`)
const noResult = Buffer.alloc(idBytes)
const purpose = 'result page'

export type LinkedResult = {
  checkId: string
  /** Null: the newest final result of the check. */
  resultId: string | null
  /** Epoch milliseconds, a whole second. */
  expiresAt: number
}

type Event = {
  checkId: string
  checkResultId: string | null
  at: number
  location?: { id: string } | null
  group?: { id: number } | null
}

/** The page of what an alert tells of; those of a location and a group are for who has signed in. */
export const linkOfEvent = (app: App & HasCipher, event: Event): string => {
  const { checkId, checkResultId, at, location, group } = event
  if (group) return `${app.config.baseUrl}/app/groups/${group.id}`
  if (location) return `${app.config.baseUrl}/app/locations/${location.id}`
  return resultLink(app, { checkId, resultId: checkResultId, expiresAt: at + linkDays * 86_400_000 })
}

export const resultLink = (app: App & HasCipher, linked: LinkedResult): string =>
  `${app.config.baseUrl}/results/${tokenOf(app, linked)}`

const tokenOf = ({ cipher }: App & HasCipher, { checkId, resultId, expiresAt }: LinkedResult): string => {
  const expiry = Buffer.alloc(expiryBytes)
  expiry.writeUInt32BE(Math.floor(expiresAt / 1000))
  const signed = Buffer.concat([idOf(checkId), resultId === null ? noResult : idOf(resultId), expiry])
  const signature = cipher.sign(signed.toString('hex'), purpose).subarray(0, signatureBytes)
  return Buffer.concat([signed, signature]).toString('base64url')
}

/** Undefined for a token that this installation has not made; whether it has expired is the caller's to ask. */
export const openToken = ({ cipher }: App & HasCipher, text: string): LinkedResult | undefined => {
  if (!token.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  const signed = bytes.subarray(0, signedBytes)
  if (!cipher.isSigned(bytes.subarray(signedBytes), signed.toString('hex'), purpose)) return undefined
  const result = signed.subarray(idBytes, 2 * idBytes)
  return {
    checkId: uuidOf(signed.subarray(0, idBytes)),
    resultId: result.equals(noResult) ? null : uuidOf(result),
    expiresAt: signed.readUInt32BE(2 * idBytes) * 1000,
  }
}
