/** Who delivers for the control plane: mail server, telephone gateway, chat and paging services. Part of config.ts. */
import type { Variable } from './config.ts'

export type Providers = {
  /** null: mails cannot be sent. */
  mail: { smtpUrl: string; from: string } | null
  /** null: no text messages and calls. */
  telephone: { accountSid: string; authToken: string; from: string; baseUrl: string } | null
  slackAppToken: string | null
  /** Of the same app; null: its messages have links instead of buttons that act. */
  slackSigningSecret: string | null
  /** Without trailing slashes, as all of these. */
  slackBaseUrl: string
  pagerdutyBaseUrl: string
  /** null: the host of the channel's region. */
  opsgenieBaseUrl: string | null
}

export const providerVariables: readonly Variable[] = [
  {
    name: 'SMTP_URL',
    default: 'unset: no mails',
    meaning:
      'mail server: smtp://user:password@host:587 (STARTTLS, required with a user name unless ?tls=optional) or smtps://…',
  },
  {
    name: 'MAIL_FROM',
    default: 'unset',
    meaning: 'sender of mails, for example Watchpost <alerts@example.com>; required with SMTP_URL',
  },
  {
    name: 'TWILIO_ACCOUNT_SID',
    default: 'unset: no SMS, no calls',
    meaning: 'account of the Twilio-compatible gateway for text messages and calls',
  },
  { name: 'TWILIO_AUTH_TOKEN', default: 'unset', meaning: 'its token; required with the account' },
  {
    name: 'TWILIO_FROM',
    default: 'unset',
    meaning: 'sending number there, E.164; required with the account',
  },
  { name: 'TWILIO_BASE_URL', default: 'https://api.twilio.com', meaning: 'address of that gateway' },
  {
    name: 'SLACK_APP_TOKEN',
    default: 'unset: no SLACK_APP channels',
    meaning: 'bot token (xoxb-…) that posts for channels of type SLACK_APP; needs the scope chat:write',
  },
  {
    name: 'SLACK_APP_SIGNING_SECRET',
    default: 'unset: links instead of buttons',
    meaning:
      'signing secret of the same app; its buttons then act, with BASE_URL/integrations/slack/actions as interactivity URL',
  },
  { name: 'SLACK_BASE_URL', default: 'https://slack.com/api', meaning: "address of Slack's web API" },
  {
    name: 'PAGERDUTY_BASE_URL',
    default: 'https://events.pagerduty.com',
    meaning: "address of PagerDuty's events API",
  },
  {
    name: 'OPSGENIE_BASE_URL',
    default: 'by region',
    meaning:
      "address of Opsgenie's API, for both regions: https://api.opsgenie.com and https://api.eu.opsgenie.com else",
  },
]

/** What must never show of them: as it is set, and as it is sent. */
export const secretsOfProviders = ({
  mail,
  telephone,
  slackAppToken,
  slackSigningSecret,
}: Providers): string[] => [
  ...(mail === null ? [] : secretsOfSmtpUrl(mail.smtpUrl)),
  ...(telephone === null ? [] : [telephone.authToken, `${telephone.accountSid}:${telephone.authToken}`]),
  ...(slackAppToken === null ? [] : [slackAppToken]),
  ...(slackSigningSecret === null ? [] : [slackSigningSecret]),
]

export const secretsOfSmtpUrl = (smtpUrl: string): string[] => {
  const { username, password } = new URL(smtpUrl)
  if (password === '') return []
  const [user, clear] = [decodeURIComponent(username), decodeURIComponent(password)]
  // RFC 4616: what AUTH PLAIN sends.
  return [password, clear, `\0${user}\0${clear}`]
}

type ProviderSource = {
  text: (name: string) => string | null
  matching: (name: string, pattern: RegExp, wanted: string) => string | null
  problems: string[]
}

export const readProviders = (reading: ProviderSource): Providers => {
  const { text, matching } = reading
  const address = (name: string): string | null =>
    matching(name, /^https?:\/\/[^\s/]+/, 'an http or https address')?.replace(/\/+$/, '') ?? null
  const mail = together(reading, { SMTP_URL: smtpUrl(reading), MAIL_FROM: text('MAIL_FROM') })
  const telephone = together(reading, {
    TWILIO_ACCOUNT_SID: matching('TWILIO_ACCOUNT_SID', /^[\w-]+$/, 'letters and digits'),
    TWILIO_AUTH_TOKEN: text('TWILIO_AUTH_TOKEN'),
    TWILIO_FROM: matching('TWILIO_FROM', /^\+[1-9]\d{1,13}$/, 'a number in E.164: +14155550100'),
  })
  const twilioBaseUrl = address('TWILIO_BASE_URL') ?? 'https://api.twilio.com'
  return Object.freeze({
    mail: mail && { smtpUrl: mail.SMTP_URL, from: mail.MAIL_FROM },
    telephone: telephone && {
      accountSid: telephone.TWILIO_ACCOUNT_SID,
      authToken: telephone.TWILIO_AUTH_TOKEN,
      from: telephone.TWILIO_FROM,
      baseUrl: twilioBaseUrl,
    },
    slackAppToken: text('SLACK_APP_TOKEN'),
    slackSigningSecret: text('SLACK_APP_SIGNING_SECRET'),
    slackBaseUrl: address('SLACK_BASE_URL') ?? 'https://slack.com/api',
    pagerdutyBaseUrl: address('PAGERDUTY_BASE_URL') ?? 'https://events.pagerduty.com',
    opsgenieBaseUrl: address('OPSGENIE_BASE_URL'),
  })
}

const smtpUrl = ({ text, problems }: ProviderSource): string | null => {
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

/** All or none: what is missing beside the others is a problem that names it. */
const together = <K extends string>(
  { problems }: ProviderSource,
  values: Record<K, string | null>,
): Record<K, string> | null => {
  const names = Object.keys(values) as K[]
  const missing = names.filter((name) => values[name] === null)
  if (missing.length === names.length) return null
  if (missing.length > 0) {
    const given = names.filter((name) => values[name] !== null)
    problems.push(`${missing.join(', ')}: required with ${given.join(', ')}`)
  }
  return values as Record<K, string>
}
