/** Pages that retention emptied are used again by new rows; what those need not goes back to the volume, little by little. */

import type { App } from '../app/app.ts'
import type { HasMetrics } from '../app/metrics.ts'
import { type Space, spaceOf } from '../store/database/space.ts'
import { retentionMetrics } from './metrics.ts'
import type { RetentionKind } from './retention-kind.ts'
import { letOthers } from './walk.ts'

/** A megabyte: a few milliseconds. */
const pagesAtOnce = 128
const leastFreeBytes = 16 * 1024 * 1024
const freeShare = 0.05

/** Unused pages that stay for what comes next. Pure. */
const freeToKeep = ({ usedBytes }: Pick<Space, 'usedBytes'>): number =>
  Math.max(leastFreeBytes, Math.floor(usedBytes * freeShare))

export const giveBackSpace = async (
  app: App & HasMetrics,
  kinds: readonly RetentionKind[],
  signal: AbortSignal,
): Promise<void> => {
  const growing = kinds.filter(({ makesRoom }) => makesRoom).map(({ table }) => table)
  let space = await spaceOf(app.db, growing)
  const freeBefore = space.freeBytes
  while (!app.db.engine.shared && space.freeBytes > freeToKeep(space) && !signal.aborted) {
    const startedAt = app.clock.monotonic()
    await app.db.giveBack(pagesAtOnce)
    const after = await spaceOf(app.db, growing)
    const givenBack = space.freeBytes - after.freeBytes
    space = after
    // Of a file that was not made to shrink nothing goes back.
    if (givenBack <= 0) break
    retentionMetrics.givenBack(app).inc(givenBack)
    await letOthers(app, app.clock.monotonic() - startedAt, signal)
  }
  if (space.freeBytes < freeBefore) app.db.checkpoint()
  retentionMetrics.storeBytes(app).set({ part: 'used' }, space.usedBytes)
  retentionMetrics.storeBytes(app).set({ part: 'free' }, space.freeBytes)
}
