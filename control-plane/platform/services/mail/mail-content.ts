import { Type } from 'typebox'
import { storedDoc } from '../../store/database/stored-doc.ts'
import type { Cipher } from '../secrets/cipher.ts'
import { englishEnding, type MailContent } from './mail-template.ts'

/** What `mail_contents.sealed_content` holds, opened. */
export const mailContent = storedDoc({
  name: 'content of a mail',
  schema: Type.Object(
    {
      lang: Type.String({ default: 'en' }),
      subject: Type.String(),
      text: Type.String(),
      html: Type.String(),
      ending: Type.Object(
        { why: Type.String(), unsubscribe: Type.String() },
        { additionalProperties: false, default: englishEnding },
      ),
    },
    { additionalProperties: false },
  ),
})

/** Sealed content opens only in its own row. */
export const contextOf = (id: string): string => `mail-content ${id}`

export const sealContent = (cipher: Cipher, id: string, content: MailContent): string =>
  cipher.encrypt(mailContent.write(content), contextOf(id))

export const openContent = (cipher: Cipher, id: string, sealed: string): MailContent =>
  mailContent.read(cipher.decrypt(sealed, contextOf(id)))
