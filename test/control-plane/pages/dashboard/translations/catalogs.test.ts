import t from 'tap'
import { catalogs } from '../../../../../control-plane/pages/dashboard/translations/catalogs.ts'
import { sourceMessages } from '../../../../support/messages.ts'
import { answerLabels } from '../../../../support/schema-messages.ts'
import { allMessages, missingTranslations, problemOf } from '../../../../support/translations.ts'

/** Files whose every text is translated into every language; `node test/missing-translations.ts` lists what the others lack. */
const complete: readonly string[] = [
  'control-plane/pages/app/language.ts',
  'control-plane/platform/web/html/error-page.ts',
  'control-plane/platform/web/http/errors/store-error-answer.ts',
]

t.test('the texts of pages are found where they are said', async (t) => {
  const texts = new Map(sourceMessages().map(({ id, files }) => [id, files]))
  for (const id of ['Sign out', 'Overview', 'Created.', 'Signed in as <0>{0}</0> ({1})', 'just now'])
    t.ok(texts.has(id), id)
})

t.test('what is complete stays so in every language', async (t) => {
  for (const [lang, missing] of Object.entries(missingTranslations()))
    t.strictSame(
      missing.filter(({ files }) => files.some((file) => complete.includes(file))).map(({ id }) => id),
      [],
      lang,
    )
})

t.test('translations have the placeholders of their text and no markup', async (t) => {
  for (const [lang, catalog] of catalogs) {
    const wrong = Object.entries(catalog).flatMap(([id, text]) => {
      const problem = problemOf(id, text)
      return problem === null ? [] : [`${id} ${problem}`]
    })
    t.strictSame(wrong, [], lang)
  }
})

t.test('translations are of texts that pages still have', async (t) => {
  const known = new Set([...allMessages().map(({ id }) => id), ...answerLabels()])
  for (const [lang, catalog] of catalogs)
    t.strictSame(
      Object.keys(catalog).filter((id) => !known.has(id)),
      [],
      lang,
    )
})
