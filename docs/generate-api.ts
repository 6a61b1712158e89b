/**
 * Writes docs/api.md from the list of routes, for who wants the reference as one file: `node docs/generate-api.ts`. It is not kept in
 * the sources; a running control plane has the same at `/docs` and `/openapi.json`.
 */
import { writeFileSync } from 'node:fs'
import { routes } from '../control-plane/routes.ts'
import { apiPage } from './api-page.ts'

writeFileSync(new URL('api.md', import.meta.url), apiPage(routes))
