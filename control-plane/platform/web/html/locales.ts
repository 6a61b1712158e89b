/** The languages of our pages, and the one that whoever asks for a page is answered in. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { preferredLanguage } from '../http/request/preferred-language.ts'
import { type Catalog, createLocale, english, type Locale } from './locale.ts'

type Locales = {
  all(): readonly Locale[]
  /** What the headers of a request ask for. */
  preferred(acceptLanguage: string | undefined): Locale
  named(lang: string | null | undefined): Locale | undefined
}

export type HasLocales = { locales: Locales }

/** Catalogs of the languages beside English; what they leave unsaid is looked for in the second ones. */
export const createLocales = (
  catalogs: ReadonlyMap<string, Catalog>,
  others: ReadonlyMap<string, Catalog> = new Map(),
): Locales => {
  const names = [english.lang, ...catalogs.keys()]
  const made = new Map([[english.lang, english]])
  // Made for whoever is the first to ask for it: most installations speak one or two.
  const make = (lang: string): Locale => {
    const locale = createLocale(lang, { ...others.get(lang), ...catalogs.get(lang) })
    made.set(lang, locale)
    return locale
  }
  const localeOf = (lang: string): Locale => made.get(lang) ?? make(lang)
  const named: Locales['named'] = (lang) => (lang && names.includes(lang) ? localeOf(lang) : undefined)
  return {
    all: () => names.map(localeOf),
    named,
    preferred: (header) => named(preferredLanguage(header, names)) ?? english,
  }
}

/** Handlers and pages know nothing of it: a document is written in the language of the request that is being served. */
const storage = new AsyncLocalStorage<{ locale: Locale }>()

export const speaking = <T>(locale: Locale, work: () => T): T => storage.run({ locale }, work)

/** From here on the request is answered in this one. */
export const goOnIn = (locale: Locale): void => {
  const served = storage.getStore()
  if (served !== undefined) served.locale = locale
}

export const currentLocale = (): Locale => storage.getStore()?.locale ?? english
