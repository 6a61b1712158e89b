/**
 * The loop that ends what is over. A *turn* is one walk over every kind, by age; then, where the store is too large, over
 * what grows, by size; then unused space is given back. A tick goes on with the turn until its signal asks it to come to
 * its end; a control plane that begins anew begins the turn anew, which finds little left to do.
 */

import type { App } from '../app/app.ts'
import type { HasMetrics } from '../app/metrics.ts'
import { perApp } from '../app/per-app.ts'
import { giveBackSpace } from './give-back.ts'
import { endLease, takeLease } from './lease.ts'
import { retentionMetrics } from './metrics.ts'
import type { RetentionKind } from './retention-kind.ts'
import { type HasRetention, retentionOf } from './settings.ts'
import { walksForSize } from './size-cap.ts'
import { goOn, type Walk, walkOf } from './walk.ts'

const turnEveryMs = 3_600_000
/** A store that was too large is looked at again soon: what has to go is only estimated. */
const soonMs = 300_000

type Turn = { begunAt: number; walks: Walk[]; done: number; looksAtSize: boolean }

const turnOf = perApp((): { current: Turn | null } => ({ current: null }))

export const retentionTick =
  (kinds: readonly RetentionKind[]) =>
  async (app: App & HasRetention & HasMetrics, signal: AbortSignal): Promise<void> => {
    const begunAt = await takeLease(app)
    const memory = turnOf(app)
    if (begunAt === null) {
      memory.current = null
      return
    }
    if (memory.current?.begunAt !== begunAt) memory.current = newTurn(app, kinds, begunAt)
    const turn = memory.current
    if (!(await walkAll(app, turn, signal))) return
    if (!turn.looksAtSize) {
      turn.looksAtSize = true
      turn.walks.push(...(await walksForSize(app, kinds)))
      if (!(await walkAll(app, turn, signal))) return
    }
    await giveBackSpace(app, kinds, signal)
    if (signal.aborted) return
    await finish(app, kinds, turn)
    memory.current = null
  }

const newTurn = (app: App & HasRetention, kinds: readonly RetentionKind[], begunAt: number): Turn => ({
  begunAt,
  walks: kinds.map((kind) => walkOf({ kind, before: endOf(app, kind, begunAt), reason: 'age' })),
  done: 0,
  looksAtSize: false,
})

/** What is older than this is over. */
export const endOf = (app: HasRetention, { setting }: RetentionKind, now: number): number =>
  setting === null ? now : now - retentionOf(app, setting)

const walkAll = async (app: App & HasMetrics, turn: Turn, signal: AbortSignal): Promise<boolean> => {
  for (const walk of turn.walks.slice(turn.done)) {
    if (!(await goOn(app, walk, signal))) return false
    await walk.kind.afterWalk?.(app, signal)
    if (signal.aborted) return false
    turn.done += 1
  }
  return true
}

const finish = async (
  app: App & HasMetrics,
  kinds: readonly RetentionKind[],
  { begunAt, walks }: Turn,
): Promise<void> => {
  for (const kind of kinds) {
    const walked = walks.find((walk) => walk.kind === kind)?.oldestAt
    const oldestAt = walked === undefined ? await kind.oldestAt(app.db) : walked
    const age = oldestAt === null ? 0 : Math.max(0, app.clock.now() - oldestAt)
    retentionMetrics.oldestAge(app).set({ kind: kind.name }, age / 1000)
  }
  const rows = Object.fromEntries(
    kinds.flatMap((kind) => {
      const sum = walks.reduce((total, walk) => total + (walk.kind === kind ? walk.rows : 0), 0)
      return sum > 0 ? [[kind.name, sum]] : []
    }),
  )
  if (Object.keys(rows).length > 0) app.log.info({ rows }, 'Retention removed what was over')
  const wasTooLarge = walks.some(({ reason }) => reason === 'size')
  await endLease(app, { begunAt, nextInMs: wasTooLarge ? soonMs : turnEveryMs })
  retentionMetrics.completedAt(app).set(app.clock.now() / 1000)
}
