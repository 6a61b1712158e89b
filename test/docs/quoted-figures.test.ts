/** Every figure that a document quotes from the table of benchmarks is the table's. */
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { benches } from '../../bench/benches.ts'
import { measured, nameOf, quotedFigures, quotedIn } from '../../docs/quoted-figures.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (document: string): string => readFileSync(`${root}${document}`, 'utf8')

for (const figure of quotedFigures)
  t.test(nameOf(figure), async (t) => {
    t.equal(
      quotedIn(figure, read(figure.document)),
      measured(figure),
      'node docs/generate-benchmarks.ts writes it',
    )
  })

/** The table itself; and what was found behind figures, at the time. */
const elsewhere = /^docs\/(benchmarks\.md|decisions\/)/
const documents = [
  'README.md',
  ...globSync('docs/**/*.md', { cwd: root }).filter((document) => !elsewhere.test(document)),
]
const names = new RegExp(`\\b(?:${benches.map(({ id }) => id).join('|')})\\b`)
/** A name of a benchmark is no figure, nor is the command that runs it. */
const withoutNames = (line: string): string =>
  line.replace(/`[^`]*`|\b[A-Z]*P\d+[A-Z]?\b|https?:\S+|\]\([^)]*\)/g, '')

t.test('a line that names a benchmark beside a figure is one whose figure is compared', async (t) => {
  const unknown = documents.flatMap((document) => {
    const figures = quotedFigures.filter((figure) => figure.document === document)
    return read(document)
      .split('\n')
      .filter((line) => names.test(line) && /\d/.test(withoutNames(line)))
      .filter((line) => !figures.some((figure) => figure.at.test(line)))
      .map((line) => `${document}: ${line.slice(0, 120)}`)
  })
  t.strictSame(unknown, [])
})

t.test('a figure of another time is found by its name', async (t) => {
  const [figure] = quotedFigures
  if (figure === undefined) throw new Error('nothing is quoted')
  const stale = read(figure.document).replace(figure.at, '1')
  t.equal(quotedIn(figure, stale), '1')
  t.not(quotedIn(figure, stale), measured(figure))
  t.match(nameOf(figure), 'docs/scaling.md: P3 sqlite first at')
  t.equal(quotedIn(figure, 'nothing of it'), null)
})
