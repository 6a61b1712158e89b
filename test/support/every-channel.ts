/**
 * A channel of every type with a real receiver behind it: an SMTP server for mails, and an HTTP server that stands for
 * everybody else, told apart by the address they are given.
 */
import type { Test } from 'tap'
import type { ChannelTypeName } from '../../control-plane/alerting/channels/channel-type.ts'
import { loopbackEnv } from './alerting.ts'
import { type Mailbox, mailbox } from './mailbox.ts'
import { type Received, receiver } from './receiver.ts'

export type Told = 'failure' | 'reminder' | 'recovery'

export type EveryChannel = {
  /** What the control plane needs to know of the providers. */
  env: Record<string, string>
  /** What the channels are made of. */
  bodies: { type: ChannelTypeName; config: object }[]
  /** `TYPE what` of every alert that was received, once per time, sorted. */
  heard(): string[]
  /** What `heard` is when each channel was told of each of these exactly once. */
  onceEach(...told: Told[]): string[]
  /** The texts that each type of channel was sent, mails in both forms. */
  texts(type: ChannelTypeName): string[]
  /** Mails of alerts and all others. */
  box: Mailbox
}

const address = 'ops@example.com'
const number = '+4915112345678'

export const everyChannel = async (t: Test): Promise<EveryChannel> => {
  const box = await mailbox(t)
  const { origin, received } = await receiver(t, () => ({ body: '{"ok":true}' }))
  const bodies: EveryChannel['bodies'] = [
    { type: 'EMAIL', config: { address } },
    { type: 'SLACK', config: { url: `${origin}/slack` } },
    { type: 'SLACK_APP', config: { slackChannels: ['#ops'] } },
    { type: 'WEBHOOK', config: { name: 'hook', url: `${origin}/webhook` } },
    { type: 'SMS', config: { number } },
    { type: 'CALL', config: { number } },
    { type: 'PAGERDUTY', config: { serviceKey: 'key' } },
    { type: 'OPSGENIE', config: { name: 'genie', apiKey: 'key', region: 'EU', priority: 'P2' } },
  ]
  const mailed = () => box.mails.filter(({ to }) => to?.some((one) => one.address === address))
  return {
    env: {
      ...loopbackEnv,
      SMTP_URL: box.url,
      MAIL_FROM: 'Watchpost <watchpost@example.com>',
      TWILIO_ACCOUNT_SID: 'AC1',
      TWILIO_AUTH_TOKEN: 'token',
      TWILIO_FROM: '+14155550100',
      TWILIO_BASE_URL: `${origin}/twilio`,
      SLACK_APP_TOKEN: 'xoxb-1',
      SLACK_BASE_URL: `${origin}/slack-app`,
      PAGERDUTY_BASE_URL: `${origin}/pagerduty`,
      OPSGENIE_BASE_URL: `${origin}/opsgenie`,
    },
    bodies,
    heard: () =>
      [
        ...mailed().map(({ subject }) => `EMAIL ${toldBy(subject ?? '')}`),
        ...received.map((one) => `${typeOf(one)} ${toldBy(readable(one))}`),
      ].sort(),
    texts: (type) =>
      type === 'EMAIL'
        ? mailed().flatMap(({ text = '', html }) => [text, html || ''])
        : received.filter((one) => typeOf(one) === type).map(readable),
    onceEach: (...told) => told.flatMap((what) => bodies.map(({ type }) => `${type} ${what}`)).sort(),
    box,
  }
}

const paths: [RegExp, ChannelTypeName][] = [
  [/^\/slack$/, 'SLACK'],
  [/^\/slack-app\/chat\.postMessage$/, 'SLACK_APP'],
  [/^\/webhook$/, 'WEBHOOK'],
  [/^\/twilio\/.*\/AC1\/Messages\.json$/, 'SMS'],
  [/^\/twilio\/.*\/AC1\/Calls\.json$/, 'CALL'],
  [/^\/pagerduty\/v2\/enqueue$/, 'PAGERDUTY'],
  [/^\/opsgenie\/v2\/alerts(\/[^/]+\/close\?identifierType=alias)?$/, 'OPSGENIE'],
]

const typeOf = ({ path }: Received): string => paths.find(([pattern]) => pattern.test(path))?.[1] ?? path

/** Forms are percent-encoded, everything else is JSON. */
const readable = ({ headers, text }: Received): string =>
  headers['content-type']?.startsWith('application/x-www-form-urlencoded')
    ? [...new URLSearchParams(text).values()].join('\n')
    : text

/** What PagerDuty is told of a recovery has no title. */
const sayings: [RegExp, Told][] = [
  [/ is still failing \(reminder \d+\)/, 'reminder'],
  [/ has recovered|"event_action":"resolve"/, 'recovery'],
  [/ has failed/, 'failure'],
]

const toldBy = (text: string): string => sayings.find(([pattern]) => pattern.test(text))?.[1] ?? text
