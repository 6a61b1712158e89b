/**
 * The contract's rules (sections.ts) against the tests: those of a section are held against its list when they run
 * (support/contract-rules.ts); here, that every section is run and that what is said to be tested elsewhere is.
 */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { sections } from './sections.ts'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '../../..')

/** As it stands between the quotes of a test's name. */
const isNameIn = (source: string, name: string): boolean =>
  source.includes(name) || source.includes(name.replaceAll("'", "\\'"))

t.test(
  'every section with tests of its own is run by exactly one file, and every file runs known ones',
  async (t) => {
    const run = globSync('*.test.ts', { cwd: here }).flatMap((file) =>
      [...readFileSync(join(here, file), 'utf8').matchAll(/^testRules\('([^']+)'/gm)].map(
        ([, section]) => section,
      ),
    )
    const withTests = Object.entries(sections)
      .filter(([, rules]) => rules.some((rule) => typeof rule === 'string'))
      .map(([section]) => section)
    t.strictSame(run.sort(), withTests.sort())
  },
)

t.test('every rule is named once in its section', async (t) => {
  for (const [section, rules] of Object.entries(sections)) {
    const names = rules.map((rule) => (typeof rule === 'string' ? rule : rule.rule))
    t.equal(new Set(names).size, names.length, section)
    t.ok(names.length > 0, `${section} has rules`)
  }
})

t.test('what is tested elsewhere has a test there', async (t) => {
  for (const rule of Object.values(sections).flat()) {
    if (typeof rule === 'string' || !('elsewhere' in rule)) continue
    const [file, test] = rule.elsewhere
    t.ok(isNameIn(readFileSync(join(root, file), 'utf8'), test), `${rule.rule}: "${test}" in ${file}`)
  }
})

t.test('what has no test says why', async (t) => {
  const all = Object.values(sections).flat()
  const outside = all.filter((rule) => typeof rule !== 'string' && 'outside' in rule)
  for (const rule of outside) t.match(rule, { outside: /\w+ \w+/ })
  const elsewhere = all.filter((rule) => typeof rule !== 'string' && 'elsewhere' in rule)
  const own = all.length - outside.length - elsewhere.length
  t.comment(`${all.length} rules: ${own} here, ${elsewhere.length} elsewhere, ${outside.length} outside`)
})
