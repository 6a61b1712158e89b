/** Works off one kind in pieces of a few milliseconds, a transaction each: a kill in between loses nothing but its place. */

import type { App } from '../app/app.ts'
import type { HasMetrics } from '../app/metrics.ts'
import { firstSize, nextSize, pieceMsOf } from '../long-reads/piece-size.ts'
import { retentionMetrics } from './metrics.ts'
import type { RetentionKind } from './retention-kind.ts'

export type Walk = {
  kind: RetentionKind
  before: number
  reason: 'age' | 'size'
  /** Where it goes on. */
  after: string
  rows: number
  oldestAt: number | null | undefined
}

export const walkOf = ({ kind, before, reason }: Pick<Walk, 'kind' | 'before' | 'reason'>): Walk => ({
  kind,
  before,
  reason,
  after: '',
  rows: 0,
  oldestAt: undefined,
})

/** Of the time of the writer a quarter at most, and less when others make it wait. */
const pausePerWork = 3
const longestPauseMs = 1000

/** Gives the others their turn for as long as they need it by how long this took. */
export const letOthers = async (app: App, tookMs: number, signal: AbortSignal): Promise<void> => {
  const pauseMs = Math.min(longestPauseMs, pausePerWork * tookMs)
  if (pauseMs >= 1 && !signal.aborted) await app.clock.sleep(pauseMs, signal)
}

/** False where the signal ended it before its end: the same walk may go on later. */
export const goOn = async (app: App & HasMetrics, walk: Walk, signal: AbortSignal): Promise<boolean> => {
  const { kind, before, reason } = walk
  const pieceMs = pieceMsOf(app.db.engine)
  const monotonic = () => app.clock.monotonic()
  let size = firstSize
  while (!signal.aborted) {
    const now = app.clock.now()
    const askedAt = monotonic()
    const { done, workMs } = await app.db.transaction(async (trx) => {
      const startedAt = monotonic()
      const done = await kind.piece(trx, { before, now, after: walk.after, size })
      return { done, workMs: monotonic() - startedAt }
    })
    retentionMetrics.rows(app).inc({ kind: kind.name, reason }, done.rows)
    walk.rows += done.rows
    if (done.oldestAt !== undefined) walk.oldestAt = earlier(walk.oldestAt ?? null, done.oldestAt)
    size = nextSize(size, { tookMs: workMs, pieceMs })
    await letOthers(app, monotonic() - askedAt, signal)
    if (done.next === null) return true
    walk.after = done.next
  }
  return false
}

const earlier = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.min(a, b)
