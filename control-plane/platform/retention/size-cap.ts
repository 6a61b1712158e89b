/**
 * `STORE_MAX_GB`: beyond it the oldest rows of what grows by itself go before their time, and it is said. Rollups, which are
 * kept for long, lose the same share of their own time.
 */
import type { App } from '../app/app.ts'
import { spaceOf } from '../store/database/space.ts'
import { toIso } from '../words/shapes/instants.ts'
import type { RetentionKind } from './retention-kind.ts'
import { type HasRetention, retentionOf } from './settings.ts'
import { type Walk, walkOf } from './walk.ts'

/** Below the cap by so much, so that the next minutes do not pass it again. */
const target = 0.95
/** What is younger stays, however small the cap is: what people look at now is about it. */
const minRetainedMs = 3_600_000

type Sizes = { usedBytes: number; maxBytes: number }

/** The share of what is used that has to go; 0: nothing. Pure. */
const shareToGo = ({ usedBytes, maxBytes }: Sizes): number =>
  usedBytes <= maxBytes ? 0 : 1 - (maxBytes * target) / usedBytes

/** What is older than this goes: as if time had filled the store evenly. What is still too much goes with the next turn. Pure. */
const cutAt = ({ oldestAt, now, share }: { oldestAt: number; now: number; share: number }): number =>
  Math.min(now - minRetainedMs, Math.ceil(oldestAt + (now - oldestAt) * share))

/** Walks that bring the store below its cap, or nearer; none where it is below. */
export const walksForSize = async (
  app: App & HasRetention,
  kinds: readonly RetentionKind[],
): Promise<Walk[]> => {
  const { storeMaxBytes: maxBytes } = app.config
  if (maxBytes === null) return []
  const growing = kinds.filter(({ makesRoom }) => makesRoom)
  const { usedBytes } = await spaceOf(
    app.db,
    growing.map(({ table }) => table),
  )
  const share = shareToGo({ usedBytes, maxBytes })
  if (share === 0) return []
  const now = app.clock.now()
  const oldest = await oldestToGo(app, growing, now)
  const before = cutAt({ oldestAt: oldest, now, share })
  const sizes = { usedBytes, maxBytes, retainedSince: toIso(before) }
  if (before > oldest) app.log.warn(sizes, passed)
  else app.log.error(sizes, tooSmall)
  const walks: Walk[] = []
  for (const kind of growing) {
    const { setting } = kind
    const end =
      kind.endsBySize === 'apart'
        ? cutAt({ oldestAt: (await kind.oldestAt(app.db)) ?? now, now, share })
        : before
    if (setting === null || end > now - retentionOf(app, setting))
      walks.push(walkOf({ kind, before: end, reason: 'size' }))
  }
  return walks
}

const passed = 'The store is larger than STORE_MAX_GB allows: its oldest rows go before their time'
const tooSmall =
  'The store is larger than STORE_MAX_GB allows, and all that could go is gone: raise it, or have less written'

/** Of the kind that takes most, which the list names first; rows that are kept beyond their time do not count. */
const oldestToGo = async (
  app: App & HasRetention,
  growing: readonly RetentionKind[],
  now: number,
): Promise<number> => {
  for (const { oldestAt, setting } of growing) {
    const at = await oldestAt(app.db)
    if (at !== null) return Math.max(at, setting === null ? 0 : now - retentionOf(app, setting))
  }
  return now
}
