/**
 * A message as a mail: the same in text and in HTML. The HTML is what mail clients can do: tables, inline styles, no
 * images, nothing loaded from elsewhere; its colours hold on light and on dark backgrounds. Pure.
 */
import { escapeHtml } from '../../../protocol/escape-html.ts'
import { type Message, type MessageKind, shortened } from '../engine/message.ts'

const looks: Record<MessageKind, { color: string; tint: string; label: string }> = {
  failure: { color: '#b42318', tint: '#fef3f2', label: 'Failing' },
  degraded: { color: '#b54708', tint: '#fffaeb', label: 'Degraded' },
  recovery: { color: '#027a48', tint: '#ecfdf3', label: 'Recovered' },
  ssl: { color: '#b54708', tint: '#fffaeb', label: 'Certificate' },
}
const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const mono = 'font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace'
const maxErrorLength = 4000

export const mailOf = (message: Message): { subject: string; text: string; html: string } => ({
  subject: shortened(oneLine(`[${looks[message.kind].label}] ${message.title}`), 200),
  text: textOf(message),
  html: htmlOf(message),
})

const oneLine = (text: string): string => text.replace(/\s+/g, ' ')

const errorOf = ({ event, kind }: Message): string | null =>
  event.errorMessage === null || kind === 'recovery' ? null : shortened(event.errorMessage, maxErrorLength)

const textOf = (message: Message): string => {
  const { title, event, link, facts } = message
  const error = errorOf(message)
  const width = Math.max(...facts.map(({ label }) => label.length)) + 1
  return [
    title,
    ...(event.checkDescription ? ['', event.checkDescription] : []),
    ...(error === null ? [] : ['', error]),
    '',
    ...facts.map(({ label, value }) => `${`${label}:`.padEnd(width)} ${value}`),
    '',
    `Result: ${link}`,
    '',
    footer,
    '',
  ].join('\n')
}

const footer = 'You get this mail because an alert channel of Watchpost sends to this address.'

const htmlOf = (message: Message): string => {
  const { title, kind, event, link, facts } = message
  const { color, tint, label } = looks[kind]
  const error = errorOf(message)
  const rows = facts.map(
    (fact) => `<tr>
<td style="padding:6px 16px 6px 0;${font};font-size:14px;line-height:20px;color:#667085;vertical-align:top;white-space:nowrap">${escapeHtml(fact.label)}</td>
<td style="padding:6px 0;${font};font-size:14px;line-height:20px;color:#1d2939;vertical-align:top;word-break:break-word">${escapeHtml(fact.value)}</td>
</tr>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light">
<title>${escapeHtml(title)}</title>
</head>
<body style="margin:0;padding:0;background:#f2f4f7">
<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(shortened(oneLine(error ?? title), 140))}</div>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f2f4f7">
<tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px;background:#ffffff;border:1px solid #e4e7ec;border-radius:8px;border-collapse:separate;overflow:hidden">
<tr><td height="4" style="height:4px;line-height:4px;font-size:0;background:${color}">&nbsp;</td></tr>
<tr><td style="padding:28px 28px 8px">
<span style="display:inline-block;padding:2px 10px;border-radius:10px;background:${tint};${font};font-size:12px;line-height:20px;font-weight:600;color:${color}">${label}</span>
<h1 style="margin:12px 0 0;${font};font-size:20px;line-height:28px;font-weight:600;color:#101828;word-break:break-word">${escapeHtml(title)}</h1>
${event.checkDescription ? `<p style="margin:8px 0 0;${font};font-size:14px;line-height:20px;color:#475467">${escapeHtml(event.checkDescription)}</p>` : ''}
</td></tr>
${error === null ? '' : `<tr><td style="padding:12px 28px 4px"><div style="padding:12px 14px;background:${tint};border-left:3px solid ${color};border-radius:4px;${mono};font-size:13px;line-height:19px;color:#1d2939;white-space:pre-wrap;word-break:break-word">${escapeHtml(error)}</div></td></tr>`}
<tr><td style="padding:12px 28px 8px"><table role="presentation" cellpadding="0" cellspacing="0" border="0">
${rows.join('\n')}
</table></td></tr>
<tr><td style="padding:12px 28px 28px"><table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr><td style="border-radius:6px;background:#1d2939"><a href="${escapeHtml(link)}" style="display:inline-block;padding:10px 18px;${font};font-size:14px;line-height:20px;font-weight:600;color:#ffffff;text-decoration:none">View result</a></td></tr></table></td></tr>
</table>
<p style="margin:16px 0 0;${font};font-size:12px;line-height:18px;color:#667085">${footer}</p>
</td></tr>
</table>
</body>
</html>
`
}
