/**
 * What all mails look like: what mail clients can do (tables, inline styles, no images, nothing loaded from elsewhere), in light and in
 * dark, with a title and landmarks for those who listen to it. Pure.
 */
import { escapeHtml } from '../../../../protocol/escape-html.ts'

export const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
export const mono = 'font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace'

/** Inline for the clients that know nothing else; the classes are for those that know dark. */
export const colors = {
  text: '#1d2939',
  quiet: '#5b6470',
  line: '#e4e7ec',
  button: '#1657c4',
} as const

const dark = `@media (prefers-color-scheme:dark){.m-back{background:#0e1116!important}.m-card{background:#171b22!important;border-color:#2a313b!important}
.m-text{color:#e8ebef!important}.m-quiet{color:#9ba6b3!important}.m-link{color:#7fb2ff!important}.m-tint{background:#222832!important}}`

type MailFrame = {
  /** BCP 47: those who listen to it hear it in its language. */
  lang: string
  title: string
  /** What lists of mails show beside the subject. */
  preview: string
  /** Of the bar on top. */
  accent: string
  /** Rows of the card: table cells, made of escaped text. */
  rows: readonly string[]
  /** Below the card: markup. */
  footer: string
}

export const mailFrame = ({
  lang,
  title,
  preview,
  accent,
  rows,
  footer,
}: MailFrame): string => `<!doctype html>
<html lang="${lang}" dir="${directionOf(lang)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${dark}</style>
</head>
<body class="m-back" style="margin:0;padding:0;background:#f2f4f7">
<div style="display:none;max-height:0;overflow:hidden" aria-hidden="true">${escapeHtml(preview)}</div>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" class="m-back" style="background:#f2f4f7">
<tr><td align="center" style="padding:24px 12px">
<div role="main" aria-label="${escapeHtml(title)}" style="max-width:600px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" class="m-card" style="background:#ffffff;border:1px solid ${colors.line};border-radius:8px;border-collapse:separate;overflow:hidden;text-align:${startOf(lang)}">
<tr><td height="4" style="height:4px;line-height:4px;font-size:0;background:${accent}">&nbsp;</td></tr>
${rows.map((row) => `<tr>${row}</tr>`).join('\n')}
</table>
</div>
<div role="contentinfo" class="m-quiet" style="max-width:600px;padding:16px 4px 0;${font};font-size:12px;line-height:18px;color:${colors.quiet};text-align:${startOf(lang)}">${footer}</div>
</td></tr>
</table>
</body>
</html>
`

const rightToLeft = new Set(['fa'])

const directionOf = (lang: string): 'ltr' | 'rtl' => (rightToLeft.has(lang) ? 'rtl' : 'ltr')

/** Mail programs know no `start`. */
const startOf = (lang: string): 'left' | 'right' => (directionOf(lang) === 'rtl' ? 'right' : 'left')

export const row = (content: string, padding = '12px 28px 4px'): string =>
  `<td style="padding:${padding}">${content}</td>`

export const heading = (text: string): string =>
  `<h1 class="m-text" style="margin:0;${font};font-size:20px;line-height:28px;font-weight:600;color:${colors.text};word-break:break-word">${escapeHtml(text)}</h1>`

export const subheading = (text: string): string =>
  `<h2 class="m-text" style="margin:0 0 4px;${font};font-size:15px;line-height:22px;font-weight:600;color:${colors.text}">${escapeHtml(text)}</h2>`

export const paragraph = (text: string): string =>
  `<p class="m-text" style="margin:0;${font};font-size:15px;line-height:23px;color:${colors.text};white-space:pre-line;word-break:break-word">${escapeHtml(text)}</p>`

type MailButton = { label: string; url: string }

/** The first is what to do first. */
export const buttons = (list: readonly MailButton[]): string =>
  list
    .map(({ label, url }, position) => {
      const isFirst = position === 0
      const look = isFirst
        ? `background:${colors.button};border:1px solid ${colors.button};color:#ffffff`
        : `border:1px solid ${colors.quiet};color:${colors.button}`
      return `<a href="${escapeHtml(url)}"${isFirst ? '' : ' class="m-link"'} style="display:inline-block;margin:0 8px 8px 0;padding:10px 18px;border-radius:6px;${look};${font};font-size:14px;line-height:20px;font-weight:600;text-decoration:none">${escapeHtml(label)}</a>`
    })
    .join('\n')
