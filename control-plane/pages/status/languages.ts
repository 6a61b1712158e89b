/** In which language a visitor reads a page: what they chose there, else what their browser asks for, else the page's default. Pure. */
import { langs, wordsOf } from '../../communication/stored-pages/words/languages.ts'
import type { Words } from '../../communication/stored-pages/words/words.ts'
import { preferredLanguage } from '../../platform/web/http/request/preferred-language.ts'

/** `languages` of the page, the default first; none: all that we have, English first. */
type Asked = {
  chosen?: string | undefined
  acceptLanguage?: string | undefined
  languages?: readonly string[]
}

export const offeredLanguages = (languages: readonly string[]): readonly string[] =>
  languages.length === 0 ? langs : languages

export const wordsFor = ({ chosen = '', acceptLanguage, languages = [] }: Asked): Words => {
  const offered = offeredLanguages(languages)
  if (offered.includes(chosen)) return wordsOf(chosen)
  return wordsOf(preferredLanguage(acceptLanguage, offered) ?? offered[0])
}
