/** Lists that look back over a bounded time: `from` and `to` in the query, `from` inclusive, `to` exclusive. */
import { Type } from 'typebox'
import { invalid, violation } from '../../../words/errors.ts'
import { InstantParameter, parseInstant } from '../../../words/shapes/instants.ts'

/** Query parameters to spread into a list's query schema. */
export const recentWindowParameters = {
  from: Type.Optional(InstantParameter),
  to: Type.Optional(InstantParameter),
}

type WindowParameters = { from?: string; to?: string }
type Bounds = { now: number; maxMs: number }

/**
 * Epoch milliseconds. What is left out is `maxMs` from the other end; without both, it is the time up to now.
 * @throws ApiError 400 when the ends are the wrong way round or further apart than `maxMs`
 */
export const recentWindow = (
  { from, to }: WindowParameters,
  { now, maxMs }: Bounds,
): { from: number; to: number } => {
  const start = from === undefined ? undefined : parseInstant('from', from)
  // One millisecond later, so that what is written now is on the list.
  const end = to === undefined ? (start === undefined ? now + 1 : start + maxMs) : parseInstant('to', to)
  const begin = start ?? end - maxMs
  if (end <= begin) throw invalid([violation('to', 'order', 'must be later than "from"')])
  if (end - begin > maxMs)
    throw invalid([violation('to', 'window', `must be at most ${maxMs / 3_600_000} hours after "from"`)])
  return { from: begin, to: end }
}
