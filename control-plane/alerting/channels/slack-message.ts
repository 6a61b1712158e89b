/** A message in Slack's Block Kit, for incoming webhooks and the app alike. Pure. */
import { codeInText, type Message, type MessageKind, shortened } from '../messages/message.ts'

const colors: Record<MessageKind, string> = {
  failure: '#d92d20',
  degraded: '#f79009',
  recovery: '#12b76a',
  ssl: '#f79009',
}
const signs: Record<MessageKind, string> = {
  failure: ':red_circle:',
  degraded: ':large_orange_circle:',
  recovery: ':large_green_circle:',
  ssl: ':lock:',
}

/** `text` is what notifications on a phone show; the rest is in the attachment, for its colour. */
export const slackMessage = (
  message: Message,
  { interactive = false }: { interactive?: boolean } = {},
): { text: string; attachments: object[] } => ({
  text: escapeMrkdwn(shortened(message.title, 500)),
  attachments: [{ color: colors[message.kind], blocks: blocksOf(message, interactive) }],
})

const blocksOf = (
  { kind, title, reason, link, answerLink, facts, cause, speech }: Message,
  interactive: boolean,
): object[] => [
  section(`${signs[kind]} *<${link}|${escapeMrkdwn(shortened(title, 500))}>*`),
  ...(reason === null ? [] : [section(preformatted(reason))]),
  ...(cause === null
    ? []
    : [section(`*${speech.text('Probable cause')}*\n${withCode(shortened(cause.text, 1500))}`)]),
  ...(cause === null || cause.nextStep === null
    ? []
    : [section(`*${speech.text('What to look at first')}*\n${withCode(shortened(cause.nextStep, 1000))}`)]),
  {
    type: 'section',
    fields: facts
      .slice(0, 10)
      .map(({ label, value }) => mrkdwn(`*${label}*\n${escapeMrkdwn(shortened(value, 500))}`)),
  },
  {
    type: 'actions',
    elements: [
      linkButton(speech.text('View result'), link),
      ...answerButtons({ answerLink, speech }, interactive),
    ],
  },
]

const plain = (text: string) => ({ type: 'plain_text', text })
const linkButton = (text: string, url: string) => ({ type: 'button', text: plain(text), url })

/** Buttons of an app act where they are pressed (pages/alerts/slack-route.ts); those of a webhook lead to the page that asks. */
const answerButtons = (
  { answerLink, speech: { text } }: Pick<Message, 'answerLink' | 'speech'>,
  interactive: boolean,
): object[] => {
  if (answerLink === null) return []
  if (!interactive) return [linkButton(text('Acknowledge or snooze'), answerLink)]
  const value = answerLink.split('/').at(-1)
  const button = (label: string, action_id: string) => ({
    type: 'button',
    text: plain(label),
    action_id,
    value,
  })
  return [button(text('Acknowledge'), 'acknowledge'), button(text('Snooze 1 hour'), 'snooze-60')]
}

const mrkdwn = (text: string) => ({ type: 'mrkdwn', text })
const section = (text: string) => ({ type: 'section', text: mrkdwn(text) })

const preformatted = (text: string): string =>
  `\`\`\`${escapeControl(shortened(text, 2000)).replaceAll('```', "'''")}\`\`\``

/** Slack's three control characters: a check's name cannot mention a channel or hide a link. */
const escapeControl = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** What stands in backticks is code there, too. */
const withCode = (text: string): string =>
  text
    .split(codeInText)
    .map((piece, at) => (at % 2 === 0 ? escapeMrkdwn(piece) : `\`${escapeControl(piece)}\``))
    .join('')

/** Nor can it make itself bold. */
const escapeMrkdwn = (text: string): string => escapeControl(text).replace(/[*_~`]/g, '\u200b$&')
