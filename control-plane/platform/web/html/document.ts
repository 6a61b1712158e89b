/** What is common to all pages: one document with its head, a policy that lets nothing else in, and no markup but `html`'s. */
import { createHash } from 'node:crypto'
import { type Asset, icon } from './assets.ts'
import { type Content, type Html, html, markupOf } from './html.ts'
import { english } from './locale.ts'
import { currentLocale } from './locales.ts'

type PageParts = {
  /** Of words that are in their language already (BCP 47); without it they are ours, in the language of the request. */
  lang?: string
  title: Content
  /** Style sheets of ours, inline: a page is one request. */
  styles: readonly Html[]
  /** Islands: what makes a page more comfortable that works without them. */
  scripts?: readonly Asset[]
  /** Address of an icon of its own. */
  icon?: string
  /** Further elements of the head, such as feeds. */
  head?: Content
  body: Content
  /** Whether search engines may list it. */
  isListed?: boolean
}

const sha256 = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

type PolicyParts = Pick<PageParts, 'styles' | 'scripts'> & {
  /** Whether it has a form, which may then be sent to where the page came from. */
  hasForm?: boolean
  /** Videos of ours; pictures may be ours and, with `pictures`, of these addresses. */
  hasMedia?: boolean
  pictures?: readonly string[]
  /** Whether scripts of it ask us for more (fragments, events). */
  connects?: boolean
  /** Whether it names style sheets of its own. */
  hasSheets?: boolean
  /** Who may show it in a frame (origins); nobody else. */
  framedBy?: readonly string[]
}

/**
 * An address of others that is a source of a policy (CSP level 3, section 2.3.1) and no more: hosts may have `;` and `,` (URL standard), which would
 * begin another directive or policy.
 */
const isSource = (source: string): boolean =>
  /^https?:\/\/([\w.*-]+|\[[\da-f:.]+\])(:(\d+|\*))?(\/[\w.~%/-]*)?$/i.test(source)

/** Nothing is loaded but what is named: styles and scripts by their hashes. */
export const policyOf = ({
  styles,
  scripts = [],
  hasForm = false,
  hasMedia = false,
  pictures = [],
  connects = false,
  hasSheets = false,
  framedBy = [],
}: PolicyParts): string => {
  const images = ["'self'", ...pictures.filter(isSource)]
  const frames = framedBy.filter(isSource)
  const sheets = [...(hasSheets ? ["'self'"] : []), ...styles.map((style) => sha256(markupOf(style)))]
  return [
    "default-src 'none'",
    `style-src ${sheets.join(' ') || "'none'"}`,
    ...(scripts.length === 0
      ? []
      : [`script-src ${scripts.map(({ integrity }) => `'${integrity}'`).join(' ')}`]),
    `img-src ${images.join(' ')}`,
    ...(hasMedia ? ["media-src 'self'"] : []),
    ...(connects ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    `frame-ancestors ${frames.length === 0 ? "'none'" : frames.join(' ')}`,
    `form-action ${hasForm ? "'self'" : "'none'"}`,
  ].join('; ')
}

export const documentOf = ({
  lang,
  title,
  styles,
  scripts = [],
  icon: ownIcon = icon.path,
  head,
  body,
  isListed = false,
}: PageParts): string => {
  const locale = lang === undefined ? currentLocale() : english
  return markupOf(
    html`<!doctype html>
<html lang="${lang ?? locale.lang}"${directionOf(lang ?? locale.lang)}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${isListed ? null : html`<meta name="robots" content="noindex, nofollow">\n`}<title>${title}</title>
<link rel="icon" href="${ownIcon}">
${head ?? null}${styles.map((style) => html`<style>${style}</style>`)}${scripts.map(
  ({ path, integrity }) => html`<script src="${path}" integrity="${integrity}" defer></script>`,
)}
</head>
<body>
${body}
</body>
</html>
`,
    locale,
  )
}

const directionOf = (lang: string): Html | null =>
  ['Arab', 'Hebr'].includes(new Intl.Locale(lang).maximize().script ?? '') ? html` dir="rtl"` : null
