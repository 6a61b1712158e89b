import { fileURLToPath } from 'node:url'

/** As in every installation that the documents describe: what Node compiled is kept for the next start of the same program. */
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('../../.node/compile-cache', import.meta.url))
