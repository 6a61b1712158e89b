/** Who delivers for the control plane: telephone gateway, chat and paging services, beside the mail server. */
import { type MailSettings, secretsOfSmtpUrl } from '../../platform/settings/mail-settings.ts'
import { type Reader, readTogether, type Variable } from '../../platform/settings/reading.ts'

export type Providers = {
  /** null: mails cannot be sent. */
  mail: MailSettings | null
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

export type HasProviders = { config: { providers: Providers } }

export const providerVariables: readonly Variable[] = [
  {
    name: 'TWILIO_ACCOUNT_SID',
    default: 'unset: no SMS, no calls',
    meaning: 'account of the Twilio-compatible gateway for text messages and calls',
  },
  {
    name: 'TWILIO_AUTH_TOKEN',
    secret: true,
    default: 'unset',
    meaning: 'its token; required with the account',
  },
  {
    name: 'TWILIO_FROM',
    default: 'unset',
    meaning: 'sending number there, E.164; required with the account',
  },
  { name: 'TWILIO_BASE_URL', default: 'https://api.twilio.com', meaning: 'address of that gateway' },
  {
    name: 'SLACK_APP_TOKEN',
    secret: true,
    default: 'unset: no SLACK_APP channels',
    meaning: 'bot token (xoxb-…) that posts for channels of type SLACK_APP; needs the scope chat:write',
  },
  {
    name: 'SLACK_APP_SIGNING_SECRET',
    secret: true,
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

export const readProviders = (reading: Reader, mail: MailSettings | null): Providers => {
  const { text, matching } = reading
  const address = (name: string): string | null =>
    matching(name, /^https?:\/\/[^\s/]+/, 'an http or https address')?.replace(/\/+$/, '') ?? null
  const telephone = readTogether(reading, {
    TWILIO_ACCOUNT_SID: matching('TWILIO_ACCOUNT_SID', /^[\w-]+$/, 'letters and digits'),
    TWILIO_AUTH_TOKEN: text('TWILIO_AUTH_TOKEN'),
    TWILIO_FROM: matching('TWILIO_FROM', /^\+[1-9]\d{1,13}$/, 'a number in E.164: +14155550100'),
  })
  const twilioBaseUrl = address('TWILIO_BASE_URL') ?? 'https://api.twilio.com'
  return Object.freeze({
    mail,
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
