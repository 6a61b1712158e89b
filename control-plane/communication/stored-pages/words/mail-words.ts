/** Instants and values in the words of a mail. Pure. */

import type { MailEnding } from '../../../platform/services/mail/mail-template.ts'
import { instantIn } from '../../../platform/words/dates.ts'
import type { Words } from './words.ts'

/** `14 Mar 2026, 02:13 UTC`, in the language. */
export const mailInstant = ({ lang }: Words, at: number): string => instantIn(lang, at)

export const mailEnding = ({ mail: { subscribed, unsubscribe } }: Words): MailEnding => ({
  why: subscribed,
  unsubscribe,
})

/** `{page}` and the like, each once. */
export const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all)
