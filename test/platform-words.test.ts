/** The platform knows no word of what customers have: it could carry another product. Comments count, too. */
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const folder = new URL('../control-plane/platform/', import.meta.url)

/** The one exception: the tables of all areas are one schema (docs/decisions/store.md, "The schema"). */
const schema = /^store\/database\/(schema\/|tables\/|tables\.ts$)/

/** In singular and plural, as words of their own and in names such as `checkId` and `alert_channels`. */
const words =
  'check|alert|incident|heartbeat|location|agent|snippet|maintenance|status page|missed run|check run|error group'

/** What others call so: HTTP, Node and SQLite. */
const foreign = [/headers: \{ location: /, /\bhttps?Agent\b/, /\bintegrity_check\b/g]

const wordsIn = (line: string): string[] => {
  const own = foreign.reduce((text, phrase) => text.replace(phrase, ''), line)
  const spaced = own.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[^A-Za-z]+/g, ' ')
  return [...spaced.matchAll(new RegExp(`\\b(?:${words})s?\\b`, 'gi'))].map(([word]) => word)
}

t.test('words are found wherever they stand', async (t) => {
  for (const line of [
    '// a check',
    'checkId',
    'find-alert-channels',
    "from('status_pages')",
    'LOCATION',
    'anAgent',
  ])
    t.equal(wordsIn(line).length, 1, line)
  for (const line of ['checked', 'allocation', 'headers: { location: url }', 'httpsAgent', 'checkpoint()'])
    t.strictSame(wordsIn(line), [], line)
})

t.test("no file of the platform but the schema says a customer's word", async (t) => {
  const files = globSync('**/*.{ts,js}', { cwd: fileURLToPath(folder) })
  const [excepted, held] = [
    files.filter((file) => schema.test(file)),
    files.filter((file) => !schema.test(file)),
  ]
  t.ok(held.length > 100, `${held.length} files`)
  t.ok(excepted.length > 20, `${excepted.length} files of the schema`)
  const found = held.flatMap((file) =>
    readFileSync(new URL(file, folder), 'utf8')
      .split('\n')
      .flatMap((line, index) => wordsIn(line).map((word) => `${file}:${index + 1} says ${word}`)),
  )
  t.strictSame(found, [])
})
