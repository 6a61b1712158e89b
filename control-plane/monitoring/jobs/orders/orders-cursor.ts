/** Where an agent is in its orders, as it says it back to us: a revision, or a page of the way to one. Pure. */
import { type Revision, readRevisionText, writeRevision } from './orders-revision.ts'

/** `since`: null: all there is. `until`: the revision that the last page brings. */
export type OrdersCursor = { since: Revision | null; until: Revision; afterId: string }

export const writeCursor = ({ since, until, afterId }: OrdersCursor): string =>
  `${since === null ? '' : writeRevision(since)}/${writeRevision(until)}/${afterId}`

/** Null: what was not written here. */
export const readCursor = (text: string): OrdersCursor | null => {
  const [first = '', second, afterId] = text.split('/')
  if (second === undefined || afterId === undefined) return null
  const since = first === '' ? null : readRevisionText(first)
  const until = readRevisionText(second)
  return until === null || (since === null && first !== '') ? null : { since, until, afterId }
}
