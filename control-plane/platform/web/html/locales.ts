/** The languages of our pages, and the one that whoever asks for a page is answered in. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { preferredLanguage } from '../http/request/preferred-language.ts'
import { type Catalog, createLocale, english, type Locale } from './locale.ts'

type Locales = {
  readonly all: readonly Locale[]
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
  const all = [
    english,
    ...[...catalogs].map(([lang, catalog]) => createLocale(lang, { ...others.get(lang), ...catalog })),
  ]
  const named: Locales['named'] = (lang) => all.find((locale) => locale.lang === lang)
  const names = all.map(({ lang }) => lang)
  return { all, named, preferred: (header) => named(preferredLanguage(header, names)) ?? english }
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
