/** The languages of status pages, and which of them a visitor reads best (RFC 9110 section 12.5.4). Pure. */
import { de } from './words/de.ts'
import { en } from './words/en.ts'
import { es } from './words/es.ts'
import { fr } from './words/fr.ts'
import { ja } from './words/ja.ts'
import type { Words } from './words/words.ts'

export const languages: readonly Words[] = [en, de, fr, es, ja]

const maxWishes = 20

export const wordsFor = (acceptLanguage: string | undefined): Words => {
  const wishes = (acceptLanguage ?? '')
    .slice(0, 500)
    .split(',', maxWishes)
    .map((wish) => {
      const [range = '', ...parameters] = wish.trim().toLowerCase().split(';')
      const weight = parameters.find((each) => each.trim().startsWith('q='))
      return {
        lang: range.trim().split('-')[0],
        weight: weight === undefined ? 1 : Number(weight.trim().slice(2)),
      }
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
  for (const { lang } of wishes) {
    const known = languages.find((words) => words.lang === lang)
    if (known !== undefined) return known
  }
  return en
}
