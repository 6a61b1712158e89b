/**
 * The lease of a turn of retention: of several control planes over one store the one that holds its row, until the turn is over or the
 * holder is gone for a while. Two at once would only do the same work twice: a row is removed once.
 */
import type { App } from '../app/app.ts'
import { perApp } from '../app/per-app.ts'
import { query } from '../store/database/query.ts'

/** Longer than a tick of a loop may take, and the wait for the next one. An embedded store has one control plane. */
const heldMs = ({ db }: App): number => (db.engine.shared ? 120_000 : 0)

const findLease = query('retention-turn', (k, _: Record<string, never>) =>
  k.selectFrom('retention_turns').selectAll().where('id', '=', 1),
)

const insertLease = query('begin-retention-turns', (k, _: Record<string, never>) =>
  k
    .insertInto('retention_turns')
    .values({ id: 1, holder: '', held_until: 0, begun_at: 0, ended_at: 0, due_at: 0 })
    .onConflict((conflict) => conflict.doNothing()),
)

type Claim = { holder: string; now: number; until: number; begunAt: number; seenBegunAt: number }

const claimLease = query('claim-retention-turn', (k, p: Claim) =>
  k
    .updateTable('retention_turns')
    .set({ holder: p.holder, held_until: p.until, begun_at: p.begunAt })
    .where('id', '=', 1)
    .where('begun_at', '=', p.seenBegunAt)
    .where((at) => at.or([at('holder', '=', p.holder), at('held_until', '<=', p.now)])),
)

type End = { holder: string; endedAt: number; dueAt: number }

const finishLease = query('end-retention-turn', (k, p: End) =>
  k
    .updateTable('retention_turns')
    .set({ ended_at: p.endedAt, due_at: p.dueAt, held_until: 0 })
    .where('id', '=', 1)
    .where('holder', '=', p.holder),
)

const holderOf = perApp((app) => app.newId())

/** When the turn that we have leased began; null: none is due, or another control plane is at it. */
export const takeLease = async (app: App): Promise<number | null> => {
  const row = await app.db.get(findLease, {})
  if (row === undefined) {
    await app.db.run(insertLease, {})
    return takeLease(app)
  }
  const now = app.clock.now()
  const isOver = row.ended_at >= row.begun_at
  if (isOver && now < row.due_at) return null
  // Never the same instant twice: it is what a turn is known by.
  const begunAt = isOver ? Math.max(now, row.begun_at + 1) : row.begun_at
  const claim = { holder: holderOf(app), now, until: now + heldMs(app), begunAt, seenBegunAt: row.begun_at }
  return (await app.db.run(claimLease, claim)) === 1 ? begunAt : null
}

export const endLease = async (
  app: App,
  { begunAt, nextInMs }: { begunAt: number; nextInMs: number },
): Promise<void> => {
  const now = app.clock.now()
  await app.db.run(finishLease, {
    holder: holderOf(app),
    endedAt: Math.max(now, begunAt),
    dueAt: now + nextInMs,
  })
}
