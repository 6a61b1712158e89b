import { formatDate } from './format-date.ts'
import { instantOf } from './instant-of.ts'

/** Where helpers get what is different in every run. `now` is epoch milliseconds, `random` is in [0, 1). */
export type HelperSources = { now(): number; random(): number; newId(): string }

/** null: the arguments make no sense. */
export type Helper = (args: readonly string[], sources: HelperSources) => string | null

const maxFormatLength = 200

/** `moment`, `moment "<format>"`, `moment "<when>" "<format>"`, in UTC. */
const date: Helper = (args, { now }) => {
  const [first, second, ...more] = args
  if (more.length > 0 || (second ?? first ?? '').length > maxFormatLength) return null
  if (first === undefined) return formatDate(now(), 'MMMM DD, YYYY')
  if (second === undefined) return formatDate(now(), first)
  const instant = instantOf(first, now())
  return instant === null ? null : formatDate(instant, second)
}

/** The helpers of templates (api-facts 6.4). A new one is a line here. */
export const helpers: Readonly<Record<string, Helper>> = {
  $UUID: (args, { newId }) => (args.length === 0 ? newId() : null),
  $RANDOM_NUMBER: (args, { random }) => (args.length === 0 ? String(Math.floor(random() * 10_001)) : null),
  moment: date,
  date,
}
