/** A short mail as text and as HTML that says the same: a heading, paragraphs, links on lines of their own. Pure. */

import { escapeHtml } from '../../../protocol/escape-html.ts'

export type MailContent = { subject: string; text: string; html: string }

export type Part =
  | string
  /** A button in HTML, a line in text. */
  | { label: string; url: string }
  /** A small heading with what happened when. */
  | { title: string; text: string }

export type MailTemplate = { subject: string; heading: string; parts: readonly Part[] }

/** A subject is one line and not endless (RFC 5322 sections 2.1.1 and 2.2). */
const maxSubject = 200

export const mailTemplate = ({ subject, heading, parts }: MailTemplate): MailContent => ({
  subject: oneLine(subject).slice(0, maxSubject),
  text: [oneLine(heading), ...parts.map(textOf)].join('\n\n'),
  html: `<h1 style="font-size:20px;margin:0 0 16px">${escapeHtml(oneLine(heading))}</h1>\n${parts.map(htmlOf).join('\n')}`,
})

/** The whole mail: the template in a page, with a footer that says why it came. */
export const withFooter = (content: MailContent, footer: readonly Part[]): MailContent => ({
  subject: content.subject,
  text: `${[content.text, ...(footer.length > 0 ? ['--', ...footer.map(textOf)] : [])].join('\n\n')}\n`,
  html:
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width, initial-scale=1"></head>\n' +
    '<body style="margin:0;padding:24px;background:#ffffff;color:#1f2328;' +
    'font:15px/1.5 system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif">\n' +
    `<div style="max-width:560px;margin:0 auto">\n${content.html}\n` +
    (footer.length > 0
      ? `<div style="margin-top:32px;padding-top:12px;border-top:1px solid #d0d7de;color:#59636e;font-size:13px">\n${footer.map(smallHtmlOf).join('\n')}\n</div>\n`
      : '') +
    '</div>\n</body></html>\n',
})

const textOf = (part: Part): string => {
  if (typeof part === 'string') return part
  return 'url' in part ? `${part.label}:\n${part.url}` : `${oneLine(part.title)}\n${part.text}`
}

const htmlOf = (part: Part): string => {
  if (typeof part === 'string') return paragraph(part)
  if ('url' in part)
    return (
      `<p style="margin:24px 0"><a href="${escapeHtml(part.url)}" style="display:inline-block;padding:10px 18px;` +
      `border-radius:6px;background:#0969da;color:#ffffff;text-decoration:none">${escapeHtml(part.label)}</a></p>`
    )
  return `<h2 style="font-size:15px;margin:20px 0 4px">${escapeHtml(oneLine(part.title))}</h2>\n${paragraph(part.text)}`
}

const smallHtmlOf = (part: Part): string =>
  typeof part === 'object' && 'url' in part
    ? `<p style="margin:4px 0"><a href="${escapeHtml(part.url)}" style="color:#59636e">${escapeHtml(part.label)}</a></p>`
    : htmlOf(part)

const paragraph = (text: string): string =>
  `<p style="margin:0 0 12px;white-space:pre-line">${escapeHtml(text)}</p>`

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
