/** The languages in which visitors are told. Pure. */
import { cs } from './cs.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fa } from './fa.ts'
import { fr } from './fr.ts'
import { it } from './it.ts'
import { ja } from './ja.ts'
import { ko } from './ko.ts'
import { nl } from './nl.ts'
import { pl } from './pl.ts'
import { ptBR } from './pt-BR.ts'
import { ru } from './ru.ts'
import { tr } from './tr.ts'
import { uk } from './uk.ts'
import type { Words } from './words.ts'
import { zhCN } from './zh-CN.ts'
import { zhTW } from './zh-TW.ts'

export const languages = [
  ...([en, de, fr, es, ja, zhCN, ptBR, ru, cs, it, tr, pl, nl, uk, zhTW, ko, fa] satisfies readonly Words[]),
]

export const langs: readonly string[] = languages.map(({ lang }) => lang)

/** Each in itself: `Deutsch`. */
export const nameOfLanguage = (lang: string): string =>
  new Intl.DisplayNames(lang, { type: 'language' }).of(lang) ?? lang

/** English for what is none of ours. */
export const wordsOf = (lang: string | undefined): Words =>
  languages.find((words) => words.lang === lang) ?? en
