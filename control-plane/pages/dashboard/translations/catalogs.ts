/**
 * The dashboard in other languages: one file for each, from the English text as the code says it to the translation. `node test/missing-translations.ts`
 * lists what has none (docs/decisions/pages.md).
 */
import type { Catalog } from '../../../platform/web/html/locale.ts'
import de from './de.json' with { type: 'json' }
import es from './es.json' with { type: 'json' }
import fr from './fr.json' with { type: 'json' }
import ja from './ja.json' with { type: 'json' }

export const catalogs: ReadonlyMap<string, Catalog> = new Map<string, Catalog>([
  ['de', de],
  ['fr', fr],
  ['es', es],
  ['ja', ja],
])
