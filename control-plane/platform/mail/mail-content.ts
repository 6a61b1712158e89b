import type { Cipher } from '../secrets/cipher.ts'
import type { MailContent } from './mail-template.ts'

/** Sealed content opens only in its own row. */
export const contextOf = (id: string): string => `mail-content ${id}`

export const sealContent = (cipher: Cipher, id: string, content: MailContent): string =>
  cipher.encrypt(JSON.stringify(content), contextOf(id))

export const openContent = (cipher: Cipher, id: string, sealed: string): MailContent =>
  JSON.parse(cipher.decrypt(sealed, contextOf(id))) as MailContent
