/** Instants and values in the words of a mail. Pure. */
import { instantInWords } from '../../../platform/services/mail/dates.ts'
import type { Words } from './words.ts'

/** `14 Mar 2026, 02:13 UTC`, in the language. */
export const mailInstant = ({ lang }: Words, at: number): string =>
  lang === 'en'
    ? instantInWords(at)
    : `${new Intl.DateTimeFormat(lang, {
        ...{ dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' },
        ...{ timeZone: 'UTC', calendar: 'gregory' },
      }).format(at)} UTC`

/** `{page}` and the like, each once. */
export const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all)
