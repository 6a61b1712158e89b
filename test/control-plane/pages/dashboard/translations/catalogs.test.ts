import t from 'tap'
import { catalogs } from '../../../../../control-plane/pages/dashboard/translations/catalogs.ts'
import { sourceMessages } from '../../../../support/messages.ts'
import { answerLabels } from '../../../../support/schema-messages.ts'
import { allMessages, missingTranslations, problemOf } from '../../../../support/translations.ts'

t.test('the texts of pages are found where they are said', async (t) => {
  const texts = new Map(sourceMessages().map(({ id, files }) => [id, files]))
  for (const id of ['Sign out', 'Overview', 'Created.', 'Signed in as <0>{0}</0> ({1})', 'just now'])
    t.ok(texts.has(id), id)
})

t.test('every text is said in every language', (t) => {
  for (const [lang, missing] of Object.entries(missingTranslations()))
    t.strictSame(
      missing.map(({ id, files }) => `${id} ← ${files.join(', ')}`),
      [],
      `${lang}: node test/missing-translations.ts ${lang}`,
    )
  t.end()
})

t.test('a text that counts has every form that its language needs', (t) => {
  for (const [lang, catalog] of catalogs) {
    const needed = new Intl.PluralRules(lang).resolvedOptions().pluralCategories.toSorted()
    const wrong = Object.entries(catalog).flatMap(([id, text]) =>
      typeof text === 'string' || Object.keys(text).toSorted().join() === needed.join() ? [] : [id],
    )
    t.strictSame(wrong, [], lang)
  }
  t.end()
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

/** Names of what was written, as the audit log shows it: parts of requests that schemas refer to, and parameters of addresses. */
const auditLabels = ['Basic auth', 'Body type', 'Property', 'Regex', 'Maintenance window id']

t.test('translations are of texts that pages still have', async (t) => {
  const known = new Set([...allMessages().map(({ id }) => id), ...answerLabels(), ...auditLabels])
  for (const [lang, catalog] of catalogs)
    t.strictSame(
      Object.keys(catalog).filter((id) => !known.has(id)),
      [],
      lang,
    )
})
