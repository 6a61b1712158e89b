/** Helpers that templates of both programs know. Pure but for their sources. */
import { formatMoment } from './format-moment.ts'
import { instantOf } from './instant-of.ts'

/** Where helpers get what is different every time. `now` is epoch milliseconds, `random` is in [0, 1). */
export type HelperSources = { now(): number; random(): number; newId(): string }

export type TemplateHelper = {
  maxArguments: number
  /** For people: what it can read. */
  reads: string
  /** null: it can make nothing of its arguments. */
  make(args: readonly string[], sources: HelperSources): string | null
}

const maxFormatLength = 200

const readable = (format: string): boolean => format.length <= maxFormatLength

/** `moment`, `moment "<format>"`, `moment "<when>" "<format>"`, in UTC. */
const moment: TemplateHelper = {
  maxArguments: 2,
  reads: `a date or words like "2 days ago", and a format of at most ${maxFormatLength} characters`,
  make: ([first, second], { now }) => {
    if (first === undefined) return formatMoment(now(), 'MMMM DD, YYYY')
    if (second === undefined) return readable(first) ? formatMoment(now(), first) : null
    const instant = instantOf(first, now())
    return instant === null || !readable(second) ? null : formatMoment(instant, second)
  },
}

const nothing = { maxArguments: 0, reads: 'no values' }

export const sharedHelpers: Readonly<Record<string, TemplateHelper>> = {
  $UUID: { ...nothing, make: (_, { newId }) => newId() },
  $RANDOM_NUMBER: { ...nothing, make: (_, { random }) => String(Math.floor(random() * 10_001)) },
  moment,
  date: moment,
}
