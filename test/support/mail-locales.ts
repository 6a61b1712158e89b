/** A language in which whatever is said stands in ⟦marks⟧. */
import { english, type Locale } from '../../control-plane/platform/web/html/locale.ts'
import type { HasLocales } from '../../control-plane/platform/web/html/locales.ts'

const mark = (text: string): string => text.replace(/[^{}\d\s][^{}\d]*/g, (words) => `⟦${words}⟧`)

const marking: Locale = {
  ...english,
  lang: 'en-XA',
  textOf: mark,
  counted: (count, forms) => mark(forms.other).replace('#', String(count)),
  span: (of) => mark(english.span(of)),
}

export const markingLocales: HasLocales['locales'] = {
  all: () => [marking],
  named: () => marking,
  preferred: () => marking,
}
