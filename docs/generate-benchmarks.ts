/** Writes docs/benchmarks.md: `node docs/generate-benchmarks.ts`. A test compares the file with what this makes. */
import { writeFileSync } from 'node:fs'
import { benchmarksPage } from './benchmarks-page.ts'

writeFileSync(new URL('benchmarks.md', import.meta.url), benchmarksPage())
