/** Languages are made when somebody asks for them, each once, and nothing else is one. */
import t from 'tap'
import { createLocales } from '../../../../../control-plane/platform/web/html/locales.ts'

t.test('a language is the same one however it is asked for', async (t) => {
  const more = new Map([['de', { No: 'Nein', Yes: 'Doch' }]])
  const locales = createLocales(new Map([['de', { Yes: 'Ja' }]]), more)
  const german = locales.named('de')
  t.equal(locales.preferred('fr, de;q=0.5'), german)
  t.strictSame(locales.all(), [locales.named('en'), german])
  t.strictSame(
    [german?.textOf('Yes'), german?.textOf('No')],
    ['Ja', 'Nein'],
    'of the second catalog what the first leaves unsaid',
  )
})

t.test('what is not known is none', async (t) => {
  const locales = createLocales(new Map([['de', {}]]), new Map([['fr', { Yes: 'Oui' }]]))
  for (const lang of ['fr', 'DE', '', '__proto__', 'constructor', 'x'.repeat(100_000), null, undefined])
    t.equal(locales.named(lang), undefined, String(lang).slice(0, 20))
  t.equal(locales.preferred('fr').lang, 'en')
  t.strictSame(
    locales.all().map(({ lang }) => lang),
    ['en', 'de'],
  )
})
