/**
 * How mails leave: to the server that SMTP_URL names, a connection per mail, each bounded in
 * time. What cannot be handed over is a `MailError`; its text comes from the server and never holds its password.
 */
import type { MailSettings } from '../../settings/mail-settings.ts'
import { secretsOfSmtpUrl } from '../../settings/mail-settings.ts'
import { hideSecrets } from '../secrets/hide-secrets.ts'

export type OutgoingMail = {
  to: string
  subject: string
  text: string
  html: string
  /** Without angle brackets; the same for every try of the same mail, so that receivers can tell copies. */
  messageId: string
  headers?: Record<string, string>
}

export type Mail = {
  configured: boolean
  /** Resolves with the server's answer. @throws MailError */
  send(mail: OutgoingMail): Promise<string>
}

/** `permanent`: trying again will fail the same way. */
export class MailError extends Error {
  readonly permanent: boolean
  constructor(message: string, more: { permanent: boolean; cause?: unknown }) {
    super(message, more.cause === undefined ? {} : { cause: more.cause })
    this.name = 'MailError'
    this.permanent = more.permanent
  }
}

type MailOptions = {
  settings: MailSettings | null
  /** For one mail from connection to answer. */
  timeoutMs?: number
}

const defaultTimeoutMs = 20_000

export const createMail = ({ settings, timeoutMs = defaultTimeoutMs }: MailOptions): Mail => {
  if (settings === null)
    return {
      configured: false,
      send: () =>
        Promise.reject(new MailError('Mails cannot be sent: SMTP_URL is not set', { permanent: true })),
    }
  const server = serverOf(settings.smtpUrl)
  const secrets = secretsOfSmtpUrl(settings.smtpUrl)
  return {
    configured: true,
    send: async ({ to, subject, text, html, messageId, headers }) => {
      // Most starts are followed by no mail for long.
      const { createTransport } = await import('nodemailer')
      const transport = createTransport({
        ...server,
        connectionTimeout: timeoutMs,
        greetingTimeout: timeoutMs,
        socketTimeout: timeoutMs,
      })
      try {
        const { response } = await transport.sendMail({
          from: settings.from,
          to,
          subject,
          text,
          html,
          messageId: `<${messageId}>`,
          ...(headers ? { headers } : {}),
          disableFileAccess: true,
          disableUrlAccess: true,
          signal: AbortSignal.timeout(timeoutMs),
        })
        return hideSecrets(response, secrets)
      } catch (error) {
        throw asMailError(error, { timeoutMs, secrets })
      } finally {
        transport.close()
      }
    },
  }
}

const serverOf = (smtpUrl: string) => {
  const url = new URL(smtpUrl)
  const secure = url.protocol === 'smtps:'
  const user = decodeURIComponent(url.username)
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || (secure ? 465 : 587)),
    secure,
    // A password goes over an encrypted connection, unless the operator says that it need not.
    requireTLS: !secure && user !== '' && url.searchParams.get('tls') !== 'optional',
    ...(user === '' ? {} : { auth: { user, pass: decodeURIComponent(url.password) } }),
  }
}

type SmtpFailure = Error & { code?: string; response?: string; responseCode?: number }

/** RFC 4954 section 6: a login is wanted, too weak, refused, or to be encrypted. */
const loginCodes = new Set([530, 534, 535, 538])

/**
 * RFC 5321 section 4.2.1: 4yz may succeed later, 5yz will not. But for logins: what is wrong there is the operator's to set
 * right, and nothing about the mail. Some servers answer with what they were sent, which is then in the texts of all
 * errors: none of them goes on but without secrets.
 */
const asMailError = (
  error: unknown,
  { timeoutMs, secrets }: { timeoutMs: number; secrets: string[] },
): MailError => {
  const { name, code, response, responseCode, message } = error as SmtpFailure
  const cause = Object.assign(new Error(hideSecrets(message, secrets)), { code })
  const isLogin = code === 'EAUTH' || loginCodes.has(responseCode ?? 0)
  const permanent = !isLogin && responseCode !== undefined && responseCode >= 500
  if (response !== undefined) {
    const who = isLogin ? 'The mail server does not accept the login of SMTP_URL; it' : 'The mail server'
    return new MailError(`${who} answered: ${hideSecrets(response, secrets)}`, { permanent, cause })
  }
  if (name === 'AbortError' || code === 'EABORT' || code === 'ETIMEDOUT')
    return new MailError(`The mail server was not done within ${timeoutMs} ms`, { permanent: false, cause })
  return new MailError(`The mail was not handed over: ${hideSecrets(message, secrets)}`, {
    permanent: code === 'EENVELOPE',
    cause,
  })
}

/** Mails to addresses that users name, through the operator's server. */
export type HasMail = { mail: Mail }
