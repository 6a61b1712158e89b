/** A short mail as text and as HTML that says the same: a heading, paragraphs, links on lines of their own. Pure. */

import { escapeHtml } from '../../../../protocol/escape-html.ts'
import { buttons, colors, heading, mailFrame, paragraph, row, subheading } from './mail-frame.ts'

export type MailContent = {
  /** BCP 47 */
  lang: string
  subject: string
  text: string
  html: string
  /** Of mails to subscribers: why it came, and how it is the last one. */
  ending: MailEnding
}

export type MailEnding = { why: string; unsubscribe: string }

/** Of mails that say none of their own. */
export const englishEnding: MailEnding = {
  why: 'You get this because you subscribed to this page.',
  unsubscribe: 'Unsubscribe',
}

export type Part =
  | string
  /** A button in HTML, a line in text. */
  | { label: string; url: string }
  /** A small heading with what happened when. */
  | { title: string; text: string }

type MailTemplate = {
  lang: string
  subject: string
  heading: string
  parts: readonly Part[]
  ending?: MailEnding
}

/** A subject is one line and not endless (RFC 5322 sections 2.1.1 and 2.2). */
const maxSubject = 200

export const mailTemplate = ({
  lang,
  subject,
  heading: head,
  parts,
  ending = englishEnding,
}: MailTemplate): MailContent => ({
  lang,
  subject: oneLine(subject).slice(0, maxSubject),
  text: [oneLine(head), ...parts.map(textOf)].join('\n\n'),
  html: [row(heading(oneLine(head)), '28px 28px 8px'), ...parts.map((part) => row(htmlOf(part)))].join(
    '</tr>\n<tr>',
  ),
  ending,
})

/** The whole mail: the template in the frame of all mails, with a footer that says why it came. */
export const withFooter = (
  content: MailContent,
  footer: readonly Part[],
): Pick<MailContent, 'subject' | 'text' | 'html'> => ({
  subject: content.subject,
  text: `${[content.text, ...(footer.length > 0 ? ['-- ', ...footer.map(textOf)] : [])].join('\n\n')}\n`,
  html: mailFrame({
    lang: content.lang,
    title: content.subject,
    preview: content.text.split('\n\n')[1]?.slice(0, 140) ?? content.subject,
    accent: colors.button,
    rows: [content.html, row('', '0 0 20px')],
    footer: footer.map(footerHtmlOf).join('\n'),
  }),
})

const textOf = (part: Part): string => {
  if (typeof part === 'string') return part
  return 'url' in part ? `${part.label}:\n${part.url}` : `${oneLine(part.title)}\n${part.text}`
}

const htmlOf = (part: Part): string => {
  if (typeof part === 'string') return paragraph(part)
  return 'url' in part ? buttons([part]) : `${subheading(oneLine(part.title))}\n${paragraph(part.text)}`
}

const footerHtmlOf = (part: Part): string =>
  typeof part === 'object' && 'url' in part
    ? `<p style="margin:4px 0"><a class="m-link" href="${escapeHtml(part.url)}" style="color:${colors.quiet}">${escapeHtml(part.label)}</a></p>`
    : `<p style="margin:4px 0;white-space:pre-line">${escapeHtml(textOf(part))}</p>`

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
