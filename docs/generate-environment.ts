/** Writes docs/deploy/environment.md: `node docs/generate-environment.ts`. A test compares the file with what this makes. */
import { writeFileSync } from 'node:fs'
import { environmentPage } from './environment-page.ts'

writeFileSync(new URL('deploy/environment.md', import.meta.url), environmentPage())
