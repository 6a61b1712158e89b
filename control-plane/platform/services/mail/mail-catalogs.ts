/**
 * Mails in other languages: one file for each, from the English text as the code says it to the translation. A text that German lacks is no
 * `MailText`; that all have the same is for a test to say (docs/decisions/communication.md).
 */
import de from './translations/de.json' with { type: 'json' }
import es from './translations/es.json' with { type: 'json' }
import fr from './translations/fr.json' with { type: 'json' }
import ja from './translations/ja.json' with { type: 'json' }

export type MailText = keyof typeof de

export const mailCatalogs = new Map([
  ['de', de],
  ['fr', fr],
  ['es', es],
  ['ja', ja],
])
