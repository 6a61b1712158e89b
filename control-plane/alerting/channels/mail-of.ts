/** A message as a mail: the same in text and in HTML, in the frame of all mails. Pure. */
import { escapeHtml } from '../../../protocol/escape-html.ts'
import type { MailText } from '../../platform/services/mail/mail-catalogs.ts'
import {
  buttons,
  colors,
  font,
  heading,
  mailFrame,
  mono,
  paragraph,
  row,
  subheading,
} from '../../platform/services/mail/mail-frame.ts'
import { codeInText, type Message, type MessageKind, quotedCode, shortened } from '../messages/message.ts'

const styles: Record<MessageKind, { color: string; tint: string; label: MailText }> = {
  failure: { color: '#b42318', tint: '#fef3f2', label: 'Failing' },
  degraded: { color: '#b54708', tint: '#fffaeb', label: 'Degraded' },
  recovery: { color: '#027a48', tint: '#ecfdf3', label: 'Recovered' },
  ssl: { color: '#b54708', tint: '#fffaeb', label: 'Certificate' },
}
const maxErrorLength = 4000

export const mailOf = (message: Message): { subject: string; text: string; html: string } => ({
  subject: shortened(oneLine(`[${message.speech.text(styles[message.kind].label)}] ${message.title}`), 200),
  text: textOf(message),
  html: htmlOf(message),
})

const oneLine = (text: string): string => text.replace(/\s+/g, ' ')

const errorOf = ({ reason }: Message): string | null =>
  reason === null ? null : shortened(reason, maxErrorLength)

const textOf = (message: Message): string => {
  const { title, event, link, answerLink, facts, cause, speech, members } = message
  const labelled = (label: string): string => speech.text('{0}:', label)
  const error = errorOf(message)
  const width = Math.max(...facts.map(({ label }) => labelled(label).length))
  return [
    title,
    ...(event.checkDescription ? ['', event.checkDescription] : []),
    ...(error === null ? [] : ['', error]),
    ...(cause === null ? [] : ['', `${labelled(speech.text('Probable cause'))} ${quotedCode(cause.text)}`]),
    ...(cause?.nextStep
      ? ['', `${labelled(speech.text('What to look at first'))} ${quotedCode(cause.nextStep)}`]
      : []),
    '',
    ...facts.map(({ label, value }) => `${labelled(label).padEnd(width)} ${value}`),
    '',
    ...(members.length === 0
      ? []
      : [labelled(speech.text('All checks of this message')), ...namesOf(message), '']),
    `${labelled(speech.text('Result'))} ${link}`,
    ...(answerLink === null ? [] : [`${labelled(speech.text('Acknowledge or snooze'))} ${answerLink}`]),
    '',
    '-- ',
    footerOf(message),
    '',
  ].join('\n')
}

/** Beside the facts, which name the first of them. */
const memberRows = (message: Message): string[] =>
  message.members.length === 0
    ? []
    : [
        row(
          `${subheading(message.speech.text('All checks of this message'))}${paragraph(namesOf(message).join(', '))}`,
        ),
      ]

const namesOf = ({ members, speech }: Message): string[] =>
  members.map(({ checkName, alertType }) =>
    alertType.endsWith('RECOVERY') ? `${checkName} (${speech.text('Recovered')})` : checkName,
  )

const withCode = (markup: string): string => markup.replace(codeInText, `<code style="${mono}">$1</code>`)

const footerOf = ({ speech: { text } }: Message): string =>
  text('You get this mail because an alert channel of Watchpost sends to this address.')

const htmlOf = (message: Message): string => {
  const { title, kind, link, answerLink, speech } = message
  const { lang, text } = speech
  const error = errorOf(message)
  const { color } = styles[kind]
  const actions = [
    { label: text('View result'), url: link },
    ...(answerLink === null ? [] : [{ label: text('Acknowledge or snooze'), url: answerLink }]),
  ]
  return mailFrame({
    lang,
    title,
    preview: shortened(oneLine(error ?? title), 140),
    accent: color,
    rows: [
      headRow(message),
      ...(error === null ? [] : [row(errorBox(error, kind))]),
      ...causeRows(message),
      row(factTable(message.facts), '12px 28px 8px'),
      ...memberRows(message),
      row(buttons(actions), '12px 28px 20px'),
    ],
    footer: escapeHtml(footerOf(message)),
  })
}

const headRow = ({ title, kind, event, speech }: Message): string => {
  const { color, tint, label } = styles[kind]
  return row(
    `<span style="display:inline-block;margin:0 0 12px;padding:2px 10px;border-radius:10px;background:${tint};${font};font-size:12px;line-height:20px;font-weight:600;color:${color}">${escapeHtml(speech.text(label))}</span>
${heading(title)}
${event.checkDescription ? paragraph(event.checkDescription) : ''}`,
    '28px 28px 8px',
  )
}

const errorBox = (error: string, kind: MessageKind): string =>
  `<div class="m-tint m-text" style="padding:12px 14px;background:${styles[kind].tint};border-left:3px solid ${styles[kind].color};border-radius:4px;${mono};font-size:13px;line-height:19px;color:${colors.text};white-space:pre-wrap;word-break:break-word">${escapeHtml(error)}</div>`

const causeRows = ({ cause, speech: { text } }: Message): string[] =>
  cause === null
    ? []
    : [
        row(`${subheading(text('Probable cause'))}${withCode(paragraph(cause.text))}`),
        ...(cause.nextStep === null
          ? []
          : [row(`${subheading(text('What to look at first'))}${withCode(paragraph(cause.nextStep))}`)]),
      ]

const factTable = (facts: Message['facts']): string =>
  `<table cellpadding="0" cellspacing="0" border="0">
${facts
  .map(
    ({ label, value }) => `<tr>
<th scope="row" class="m-quiet" style="padding:5px 16px 5px 0;${font};font-size:14px;line-height:20px;font-weight:400;color:${colors.quiet};text-align:left;vertical-align:top;white-space:nowrap">${escapeHtml(label)}</th>
<td class="m-text" style="padding:5px 0;${font};font-size:14px;line-height:20px;color:${colors.text};vertical-align:top;word-break:break-word">${escapeHtml(value)}</td>
</tr>`,
  )
  .join('\n')}
</table>`
