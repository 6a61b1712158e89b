/**
 * Writes docs/benchmarks.md, and the figures that other documents quote from it: `node docs/generate-benchmarks.ts`. Tests
 * compare the files with what this makes.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { benchmarksPage } from './benchmarks-page.ts'
import { measured, quotedFigures } from './quoted-figures.ts'

writeFileSync(new URL('benchmarks.md', import.meta.url), benchmarksPage())

for (const [document, figures] of Map.groupBy(quotedFigures, ({ document }) => document)) {
  const file = new URL(`../${document}`, import.meta.url)
  const text = readFileSync(file, 'utf8')
  writeFileSync(
    file,
    figures.reduce((written, figure) => written.replace(figure.at, measured(figure)), text),
  )
}
