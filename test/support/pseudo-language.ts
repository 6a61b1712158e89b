/**
 * A language that nobody speaks: every text that is said stands in ⟦marks⟧, and so does what `Intl` writes. What of a page has no marks and is nobody's
 * data is English for everybody.
 */
import { catalogs } from '../../control-plane/pages/dashboard/translations/catalogs.ts'
import { mailCatalogs } from '../../control-plane/platform/services/mail/mail-catalogs.ts'
import type { Locale } from '../../control-plane/platform/web/html/locale.ts'
import { english } from '../../control-plane/platform/web/html/locale.ts'
import type { HasLocales } from '../../control-plane/platform/web/html/locales.ts'

const mark = (text: string): string => (/\p{L}/u.test(text) ? `⟦${text}⟧` : text)

/** Words only: what is put into a hole says for itself where it comes from. */
const markWords = (text: string): string =>
  text
    .split(/(\{\d+\}|<\/?\d+>|<\d+\/>)/)
    .map((piece, at) => (at % 2 === 0 ? mark(piece) : piece))
    .join('')

const german = { ...mailCatalogs.get('de'), ...catalogs.get('de') }

const pseudo: Locale = {
  ...english,
  lang: 'en-XA',
  // What German has no words for stays English for whoever reads German.
  textOf: (text) => (Object.hasOwn(german, text) ? markWords(text) : null),
  counted: (count, forms) => mark(english.counted(count, forms)),
  number: (value) => mark(english.number(value)),
  list: (count) => english.list(count).map((part) => (typeof part === 'string' ? mark(part) : part)),
  date: (at, form) => mark(english.date(at, form)),
  span: (of) => mark(english.span(of)),
  away: (count, unit) => mark(english.away(count, unit)),
}

/** Whoever asks is answered in it. */
export const pseudoLocales: HasLocales['locales'] = {
  all: () => [pseudo],
  named: () => pseudo,
  preferred: () => pseudo,
}

/** Names that no language says otherwise, and one of a language, which `Intl` says in each. */
const sameEverywhere =
  /\b(CSV|YAML|DELETE|HTML|Markdown|GraphQL|PagerDuty|SMS|SQLite|PostgreSQL|TCP|ICMP|SSL|[A-Z]+(?:_[A-Z]+)+|E[A-Z]{6,}|English|German|Pseudo|Accents|Watchpost|UTC|GMT|Playwright|OpenAPI|Docker|Kubernetes|Helm|systemd|cron|curl|Slack|Node\.js|JavaScript|TypeScript)\b/g

const entities: { readonly [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? '')

/** What people read: text between tags, and attributes that are shown or read aloud. Code is code in every language. */
export const readTexts = (page: string): string[] => {
  const shown = page
    .replace(/<!--.*?-->/gs, '')
    .replace(/<(script|style|code|pre|textarea|samp|kbd)\b[^>]*>.*?<\/\1>/gs, ' ')
  const attributes = [...shown.matchAll(/\s(?:title|alt|placeholder|aria-label|aria-description)="([^"]*)"/g)]
  const texts = shown.replace(/<!?\/?[a-zA-Z](?:"[^"]*"|[^">])*>/g, '\n').split('\n')
  return [...attributes.map(([, text = '']) => text), ...texts].map(unescaped)
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** A pattern of what an account has: the longest first, so that nothing is left of a name that begins with another one. */
export const dataPattern = (data: Iterable<string>): RegExp => {
  const parts = [...new Set([...data].map((text) => text.replace(/\s+/g, ' ').trim()))]
    .filter((text) => /\p{L}/u.test(text))
    .toSorted((a, b) => b.length - a.length)
  return new RegExp(`(?<![\\p{L}\\d])(?:${parts.map(escaped).join('|') || '(?!)'})(?![\\p{L}\\d])`, 'gu')
}

const address = /\b(https?|mailto|wss?|tcp):\S+|\S+@\S+\.\w+|\/(v\d|app|status|docs|ping|results)\/\S*/g

/** What of a page is said in English to everybody. */
export const unsaidIn = (page: string, data: RegExp): string[] => {
  const left = readTexts(page).flatMap((text) => {
    const rest = text
      .replace(/⟦[^⟧]*⟧/g, ' ')
      .replace(/\s+/g, ' ')
      .replace(/\S+@\S+\.\w+/g, ' ')
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, ' ')
      .replace(/\b(?=\w*\d)[0-9a-f]{10}\b/g, ' ')
      .replace(data, ' ')
      .replace(address, ' ')
      .replace(sameEverywhere, ' ')
    return /\p{L}{2}/u.test(rest) ? [text.replace(/\s+/g, ' ').trim()] : []
  })
  return [...new Set(left)]
}
