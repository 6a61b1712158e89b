/** The mail server, and who mails come from. */
import { type Reader, readTogether, type Variable } from './reading.ts'

export type MailSettings = { smtpUrl: string; from: string }

export const mailVariables: readonly Variable[] = [
  {
    name: 'SMTP_URL',
    secret: true,
    default: 'unset: no mails',
    meaning:
      'mail server: smtp://user:password@host:587 (STARTTLS, required with a user name unless ?tls=optional) or smtps://…',
  },
  {
    name: 'MAIL_FROM',
    default: 'unset',
    meaning: 'sender of mails, for example Watchpost <watch@example.com>; required with SMTP_URL',
  },
]

/** Null: mails cannot be sent. */
export const readMail = (reader: Reader): MailSettings | null => {
  const mail = readTogether(reader, { SMTP_URL: smtpUrl(reader), MAIL_FROM: reader.text('MAIL_FROM') })
  return mail && Object.freeze({ smtpUrl: mail.SMTP_URL, from: mail.MAIL_FROM })
}

const smtpUrl = ({ text, problems }: Reader): string | null => {
  const value = text('SMTP_URL')
  if (value === null) return null
  const url = URL.parse(value)
  const tls = url?.searchParams.get('tls') ?? 'required'
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '')
    problems.push(
      'SMTP_URL must be smtp://host:port or smtps://host:port, with user:password@ before the host',
    )
  else if (!['required', 'optional'].includes(tls))
    problems.push('SMTP_URL: tls must be required or optional')
  return value
}

export const secretsOfSmtpUrl = (smtpUrl: string): string[] => {
  const { username, password } = new URL(smtpUrl)
  if (password === '') return []
  const [user, clear] = [decodeURIComponent(username), decodeURIComponent(password)]
  // RFC 4616: what AUTH PLAIN sends.
  return [password, clear, `\0${user}\0${clear}`]
}
