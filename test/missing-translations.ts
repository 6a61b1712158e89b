/**
 * Prints what our pages say and no catalog of control-plane/pages/dashboard/translations translates, as JSON by language: `id` is the key of the catalog, `forms` the
 * plural forms that the translation has (null: it is one text). With a language only what it lacks: `node test/missing-translations.ts de`.
 */
import { missingTranslations } from './support/translations.ts'

const [, , lang] = process.argv
const missing = missingTranslations()
process.stdout.write(`${JSON.stringify(lang === undefined ? missing : missing[lang], null, 2)}\n`)
