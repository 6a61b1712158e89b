/** What the catalogs of our pages lack, and what in them says nothing. */
import { catalogs } from '../../control-plane/pages/dashboard/translations/catalogs.ts'
import { type SourceMessage, sourceMessages } from './messages.ts'
import { schemaMessages } from './schema-messages.ts'

/** What the sources say, and what schemas are the source of. */
export const allMessages = (): SourceMessage[] => {
  const own = sourceMessages()
  const known = new Set(own.map(({ id }) => id))
  return [...own, ...schemaMessages().filter(({ id }) => !known.has(id))]
}

/** Every text of our pages that has no translation, by language. */
export const missingTranslations = (): {
  [lang: string]: { id: string; files: readonly string[]; forms: readonly string[] | null }[]
} => {
  const messages = allMessages()
  return Object.fromEntries(
    [...catalogs].map(([lang, catalog]) => [
      lang,
      messages
        .filter(({ id }) => !Object.hasOwn(catalog, id))
        .map(({ id, files, forms }) => ({
          ...{ id, files },
          forms: forms === null ? null : new Intl.PluralRules(lang).resolvedOptions().pluralCategories,
        })),
    ]),
  )
}

const placeholders = (text: string): string[] => text.match(/\{\d+\}|<\/?\d+>|<\d+\/>|#/g)?.toSorted() ?? []

/** Of one translation: nothing, or what is wrong with it. */
export const problemOf = (id: string, translation: unknown): string | null => {
  const texts = Object.entries(typeof translation === 'string' ? { text: translation } : (translation ?? {}))
  for (const [form, text] of texts) {
    if (typeof text !== 'string' || text.trim() === '') return 'is empty'
    if (/<(?!\/?\d+\/?>)|&\w+;/.test(text)) return `has markup: ${text}`
    // One need not be counted.
    if (form === 'one' && !text.includes('#') && !/\{\d/.test(id)) continue
    if (placeholders(text).join() !== placeholders(id).join()) return `has other placeholders: ${text}`
  }
  return null
}
