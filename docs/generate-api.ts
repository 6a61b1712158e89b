/**
 * Writes docs/api.md from the list of routes: `node docs/generate-api.ts`. A test compares the file with what this
 * makes, so that the page is what the program does.
 */
import { writeFileSync } from 'node:fs'
import { routes } from '../control-plane/routes.ts'
import { apiPage } from './api-page.ts'

writeFileSync(new URL('api.md', import.meta.url), apiPage(routes))
