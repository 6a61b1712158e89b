/** What an owner says in other languages beside the text itself, which is shown where a language has none of its own. Pure. */
import { type TSchema, Type } from 'typebox'
import { storedDoc } from '../../platform/store/database/stored-doc.ts'
import { changesOf } from '../../platform/words/shapes/optional-fields.ts'
import { langs } from './words/languages.ts'

/** By language, and then by the name of the field. */
export type Translations<Field extends string = string> = {
  readonly [lang: string]: { readonly [F in Field]?: string } | undefined
}

const closed = { additionalProperties: false }

/** `of`: whose texts they are, in the names of the schemas. */
export const translationsOf = <F extends Record<string, TSchema>>(of: string, fields: F) => {
  const texts = Type.Optional(Type.Object(changesOf(fields), { ...closed, title: `${of}Texts` }))
  const byLanguage = Object.fromEntries(langs.map((lang) => [lang, texts]))
  return Type.Unsafe<Translations<keyof F & string>>(
    Type.Object(byLanguage, {
      ...closed,
      title: `${of}Translations`,
      default: {},
      description: `The same in other languages: ${Object.keys(fields)
        .map((name) => `\`${name}\``)
        .join(' and ')}. A language without a text gets the one above.`,
    }),
  )
}

const text = Type.Optional(Type.String())
const Stored = Type.Unsafe<Translations<'name' | 'description'>>(
  Type.Object(
    Object.fromEntries(
      langs.map((lang) => [lang, Type.Optional(Type.Object({ name: text, description: text }))]),
    ),
  ),
)

/** Of the columns `translations`. */
export const translationsDoc = storedDoc<typeof Stored, Translations<'name' | 'description'>>({
  name: 'translations',
  schema: Stored,
})

type Said = { readonly translations: Translations }

/** A row with its translations read. */
export const said = <T extends { translations: string }>(
  row: T,
): Omit<T, 'translations'> & { translations: Translations } => ({
  ...row,
  translations: translationsDoc.read(row.translations),
})

/** The thing with its texts in the language, as far as it has them. */
export const inLanguage = <T extends Said>(thing: T, lang: string): T => ({
  ...thing,
  ...thing.translations[lang],
})

export const allInLanguage = <T extends Said>(things: readonly T[], lang: string): T[] =>
  things.map((thing) => inLanguage(thing, lang))
