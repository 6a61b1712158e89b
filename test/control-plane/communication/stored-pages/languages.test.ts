import t from 'tap'
import { languages, wordsOf } from '../../../../control-plane/communication/stored-pages/words/languages.ts'
import { mailInstant } from '../../../../control-plane/communication/stored-pages/words/mail-words.ts'
import { countText, daysAgoText, durationText } from '../../../../control-plane/pages/status/dates.ts'
import { wordsFor } from '../../../../control-plane/pages/status/languages.ts'

const english = wordsOf('en')

/** Every text by its path; plural forms are one text by their category. */
const textsOf = (value: object, path = ''): [path: string, text: string | object][] =>
  Object.entries(value).flatMap(([name, each]) =>
    typeof each === 'string' || Object.hasOwn(each, 'other')
      ? [[`${path}${name}`, each]]
      : textsOf(each, `${path}${name}.`),
  )

const placeholders = (text: string): string[] => text.match(/\{\w+\}|#/g)?.toSorted() ?? []
const formsIn = (text: string | object): string[] => (typeof text === 'string' ? [text] : Object.values(text))

t.test('each language says everything, with the same placeholders', async (t) => {
  t.equal(languages.length, 17)
  const wanted = new Map(textsOf(english))
  for (const words of languages) {
    const texts = textsOf(words)
    t.same(texts.map(([path]) => path).toSorted(), [...wanted.keys()].toSorted(), words.lang)
    for (const [path, text] of texts)
      for (const form of formsIn(text)) {
        t.not(form.trim(), '', `${words.lang} ${path}`)
        const [first = ''] = formsIn(wanted.get(path) ?? '')
        t.same(placeholders(form), placeholders(first), `${words.lang} ${path}`)
      }
  }
})

t.test('plural forms are those that the language uses for whole numbers', async (t) => {
  for (const { lang, day } of languages) {
    const rules = new Intl.PluralRules(lang)
    const used = new Set(Array.from({ length: 1001 }, (_, count) => rules.select(count)))
    for (const forms of [day.incidents, day.failed])
      for (const category of used) t.ok(Object.hasOwn(forms, category), `${lang} ${category}`)
  }
})

t.test('no language is another one', async (t) => {
  t.equal(new Set(languages.map(({ rule }) => rule)).size, languages.length)
  for (const words of languages) t.equal(wordsFor({ acceptLanguage: words.lang }), words)
})

t.test('regions are read in the nearest language, scripts are not mixed up', async (t) => {
  const lang = (acceptLanguage: string): string => wordsFor({ acceptLanguage }).lang
  t.equal(lang('zh-HK'), 'zh-TW')
  t.equal(lang('zh'), 'zh-CN')
  t.equal(lang('pt-PT, en;q=0.8'), 'pt-BR')
  t.equal(lang('de-AT;q=0.3, uk;q=0.9'), 'uk')
  t.equal(lang('*, x-y, not a language'), 'en')
})

t.test('counts, spans and instants are written in the language', async (t) => {
  const ru = wordsOf('ru')
  t.strictSame(
    [1, 3, 5, 21].map((count) => countText(ru, count, ru.day.incidents)),
    ['1 инцидент', '3 инцидента', '5 инцидентов', '21 инцидент'],
  )
  t.equal(countText(english, 2, english.day.failed, 10), '2 of 10 checks failed')
  t.equal(daysAgoText(wordsOf('cs'), 90), 'před 90 dny')
  t.equal(durationText(wordsOf('de'), 1565), '1 Tg. 2 Std. 5 Min.')
  t.equal(durationText(english, 0), '0 min')
  const at = Date.UTC(2026, 2, 14, 2, 13)
  t.equal(mailInstant(english, at), '14 Mar 2026, 02:13 UTC')
  t.match(mailInstant(wordsOf('fa'), at), /۲۰۲۶/, 'the calendar of the page')
})
