/** Which of our languages somebody reads best (RFC 9110 section 12.5.4). Pure. */

const maxWishes = 20
const range = /^[a-z]{2,3}(-[a-z0-9]{2,8}){0,4}$/i

/** Null: none of what is asked for. `known` as BCP 47; regions of one language in the same script are near enough. */
export const preferredLanguage = (header: string | undefined, known: readonly string[]): string | null => {
  const wishes = (header ?? '')
    .slice(0, 500)
    .split(',', maxWishes)
    .map((wish) => {
      const [lang = '', ...parameters] = wish.trim().split(';')
      const weight = parameters.find((each) => each.trim().startsWith('q='))
      return { lang: lang.trim(), weight: weight === undefined ? 1 : Number(weight.trim().slice(2)) }
    })
    .filter(({ lang, weight }) => weight > 0 && range.test(lang))
    .sort((a, b) => b.weight - a.weight)
  for (const { lang } of wishes) {
    const best = nearest(lang, known)
    if (best !== undefined) return best
  }
  return null
}

const nearest = (wish: string, known: readonly string[]): string | undefined =>
  known.find((each) => each.toLowerCase() === wish.toLowerCase()) ??
  known.find((each) => written(each) === written(wish))

/** `zh-HK` is written as `zh-TW` is, `pt-PT` as `pt-BR`. */
const written = (lang: string): string => {
  const { language, script } = new Intl.Locale(lang).maximize()
  return `${language}-${script ?? ''}`
}
