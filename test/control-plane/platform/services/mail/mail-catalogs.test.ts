import { globSync, readFileSync } from 'node:fs'
import t from 'tap'
import { mailCatalogs } from '../../../../../control-plane/platform/services/mail/mail-catalogs.ts'
import { problemOf } from '../../../../support/translations.ts'

const [[, german] = ['', {}]] = mailCatalogs

t.test('every language has the same texts, with their values, and the forms that it counts by', async (t) => {
  for (const [lang, catalog] of mailCatalogs) {
    t.strictSame(Object.keys(catalog).toSorted(), Object.keys(german).toSorted(), lang)
    const categories = new Intl.PluralRules(lang).resolvedOptions().pluralCategories.toSorted()
    for (const [text, said] of Object.entries(catalog)) {
      t.ok(said !== '', `${lang}: ${text}`)
      if (typeof said === 'object') t.strictSame(Object.keys(said).toSorted(), categories, `${lang}: ${text}`)
      else t.equal(problemOf(text, said), null, `${lang}: ${text}`)
    }
  }
})

t.test('each text is still said', async (t) => {
  const sources = globSync('control-plane/{access,alerting,monitoring}/**/*.ts')
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  t.strictSame(
    Object.keys(german).filter((text) => !sources.includes(`'${text}'`)),
    [],
  )
})
