/**
 * Questions that may have to read many rows: they do it in pieces of a few milliseconds. The first piece is done at
 * once, and most questions end there. What goes on has a permit, of which an account has few, and does each further piece
 * in its turn; it ends when nobody waits for the answer any more.
 */
import { createSemaphore, type Release } from '../../../protocol/semaphore.ts'
import type { App } from '../app/app.ts'
import { perApp } from '../app/per-app.ts'
import { ApiError } from '../words/errors.ts'
import { firstSize, nextSize, pieceMsOf } from './piece-size.ts'
import { createScheduler } from './scheduler.ts'

/** Whose question it is, and whether somebody still waits for the answer. */
export type Asker = { accountId: string; signal: AbortSignal }

export type LongRead = {
  /** Work on `size` rows or so; it is soon over. */
  piece<T>(work: (size: number) => Promise<T>): Promise<T>
}

/** What is collected for an answer is in memory until it ends: few at once. PostgreSQL has connections left for others. */
const bounds = { total: 4, ofOneOwner: 2, waitingOfOneOwner: 60 }

const longReads = perApp(() => ({ semaphore: createSemaphore(bounds), scheduler: createScheduler() }))

/** Where the clock stands still, or pieces cost nothing, others get their turn all the same. */
const piecesPerTurn = 100

/** @throws ApiError 429 when too many questions of the account wait, 503 when nobody waits for the answer any more */
export const longRead = async <T>(
  app: App,
  { accountId, signal }: Asker,
  work: (reading: LongRead) => Promise<T>,
): Promise<T> => {
  const { semaphore, scheduler } = longReads(app)
  const now = () => app.clock.monotonic()
  const pieceMs = pieceMsOf(app.db.engine)
  const permit: { release: Release | null } = { release: null }
  let size = firstSize
  let usedMs = 0
  let pieces = 0

  const nextTurn = async (): Promise<void> => {
    permit.release ??= await semaphore.acquire({ owner: accountId, signal })
    if (permit.release === null) throw signal.aborted ? nobodyWaits() : tooMany()
    await scheduler.next(accountId)
    if (signal.aborted) throw nobodyWaits()
    usedMs = 0
    pieces = 0
  }

  const piece: LongRead['piece'] = async (part) => {
    if (usedMs >= pieceMs / 2 || pieces >= piecesPerTurn) await nextTurn()
    const startedAt = now()
    const value = await part(size)
    const tookMs = now() - startedAt
    usedMs += tookMs
    pieces += 1
    size = nextSize(size, { tookMs, pieceMs })
    return value
  }

  try {
    return await work({ piece })
  } finally {
    permit.release?.()
  }
}

const nobodyWaits = () => new ApiError(503, undefined, { headers: { 'retry-after': '1' } })

const tooMany = () =>
  new ApiError(429, 'Too many questions of this account that read many results wait already', {
    headers: { 'retry-after': '5' },
  })
