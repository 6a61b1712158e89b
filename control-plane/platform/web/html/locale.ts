/** The language that a page is written in: its texts by their English ones, and how it says numbers, plurals and dates. Pure. */

/** By the plural category of a count (`Intl.PluralRules`); `#` is the count. */
export type Forms = { readonly [C in Intl.LDMLPluralRule]?: string } & { readonly other: string }

/** By the English text; forms by their English `other`. */
export type Catalog = { readonly [text: string]: string | Forms }

export type Unit = 'day' | 'hour' | 'minute' | 'second'

export type Locale = {
  /** BCP 47 */
  readonly lang: string
  /** Null: it is said in English. */
  textOf(english: string): string | null
  /** The form for a count, the count in it. */
  counted(count: number, forms: Forms): string
  /** At most so many decimals. */
  number(value: number, digits?: number): string
  /** With exactly so many decimals. */
  fixed(value: number, digits: number): string
  /** Of so many things: the numbers of their places, and what stands between them. */
  list(count: number): readonly (string | number)[]
  date(at: number, form: Intl.DateTimeFormatOptions): string
  /** `12 minutes` */
  span(of: { count: number; unit: Unit }): string
  /** `12 minutes ago`; positive: in the future. */
  away(count: number, unit: Unit): string
}

export const createLocale = (lang: string, catalog: Catalog): Locale => {
  const plurals = new Intl.PluralRules(lang)
  const numbers = [0, 1, 2, 3].map(
    (maximumFractionDigits) => new Intl.NumberFormat(lang, { maximumFractionDigits }),
  )
  const list = new Intl.ListFormat(lang === 'en' ? 'en-GB' : lang, { type: 'conjunction' })
  const inDigits = (value: number, digits = 3): string => (numbers[digits] ?? numbers[0])?.format(value) ?? ''
  const dates = new Map<string, Intl.DateTimeFormat>()
  const away = new Intl.RelativeTimeFormat(lang)
  const spans = new Map<Unit, Intl.NumberFormat>()
  const spanFormat = (unit: Unit): Intl.NumberFormat => {
    const format =
      spans.get(unit) ?? new Intl.NumberFormat(lang, { style: 'unit', unit, unitDisplay: 'long' })
    spans.set(unit, format)
    return format
  }
  const known = (text: string): string | Forms | null =>
    Object.hasOwn(catalog, text) ? (catalog[text] ?? null) : null
  const dateFormat = (form: Intl.DateTimeFormatOptions): Intl.DateTimeFormat => {
    const name = JSON.stringify(form)
    // British English has the day first.
    const format = dates.get(name) ?? new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang, form)
    dates.set(name, format)
    return format
  }
  return {
    lang,
    textOf: (english) => {
      const text = known(english)
      return typeof text === 'string' ? text : null
    },
    counted: (count, forms) => {
      const own = known(forms.other)
      const isOwn = own !== null && typeof own !== 'string'
      const rules = isOwn ? plurals : englishPlurals
      const chosen = isOwn ? own : forms
      return (chosen[rules.select(count)] ?? chosen.other).replace('#', inDigits(count))
    },
    number: inDigits,
    fixed: (value, digits) =>
      value.toLocaleString(lang, { minimumFractionDigits: digits, maximumFractionDigits: digits }),
    list: (count) =>
      list
        .formatToParts(Array.from({ length: count }, (_, at) => String(at)))
        .map(({ type, value }) => (type === 'element' ? Number(value) : value)),
    date: (at, form) => dateFormat(form).format(at),
    span: ({ count, unit }) => spanFormat(unit).format(count),
    away: (count, unit) => away.format(count, unit),
  }
}

const englishPlurals = new Intl.PluralRules('en')

export const english = createLocale('en', {})
