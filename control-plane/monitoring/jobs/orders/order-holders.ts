/**
 * Which agents keep orders: those share the due times of their location while they are alone, and are waited for when the control
 * plane comes back. Written once a minute an agent at most: idle agents must cost nothing.
 */
import { sql } from 'kysely'
import { boundedCache } from '../../../../protocol/bounded-memo.ts'
import type { App } from '../../../platform/app/app.ts'
import { perApp } from '../../../platform/app/per-app.ts'
import type { RetentionKind } from '../../../platform/retention/retention-kind.ts'
import { query } from '../../../platform/store/database/query.ts'
import type { HasStandingOrders } from './order-settings.ts'

type Holder = { location: string; agentId: string }

const upsertHolder = query(
  'upsert-order-holder',
  (k, p: Holder & { revision: string; now: number; holdsUntil: number }) => {
    const changing = { revision: p.revision, told_at: p.now, holds_until: p.holdsUntil }
    return k
      .insertInto('order_holders')
      .values({ location_id: p.location, agent_id: p.agentId, ...changing })
      .onConflict((conflict) => conflict.columns(['location_id', 'agent_id']).doUpdateSet(changing))
  },
)

const deleteHolder = query('delete-order-holder', (k, p: Holder) =>
  k.deleteFrom('order_holders').where('location_id', '=', p.location).where('agent_id', '=', p.agentId),
)

const writtenEveryMs = 60_000

/** By agent, what was written last and when. */
const written = perApp(() => boundedCache<string, { held: boolean; at: number }>(100_000))

/** `revision`: what it has; null: nothing. */
export const noteHolder = async (
  app: App & HasStandingOrders,
  { revision, ...holder }: Holder & { revision: string | null },
): Promise<void> => {
  const now = app.clock.now()
  const key = `${holder.location} ${holder.agentId}`
  const last = written(app).get(key)
  const held = revision !== null
  if (last !== undefined && last.held === held && (!held || Math.abs(now - last.at) < writtenEveryMs)) return
  if (revision === null) await app.db.run(deleteHolder, holder)
  else
    await app.db.run(upsertHolder, {
      ...holder,
      revision,
      now,
      holdsUntil: now + app.config.standingOrders.holdMs,
    })
  written(app).set(key, { held, at: now })
}

/** An agent polls at least every 30 seconds or so, and is noted at most 20 later. */
const aliveMs = 60_000

const liveHolders = query(
  'live-order-holders',
  (k, p: { location: string; seenSince: number; now: number }) =>
    k
      .selectFrom('order_holders as h')
      .innerJoin('agents as a', (join) =>
        join.onRef('a.location_id', '=', 'h.location_id').onRef('a.agent_id', '=', 'h.agent_id'),
      )
      .select('h.agent_id')
      .where('h.location_id', '=', p.location)
      .where('h.holds_until', '>', p.now)
      .where('a.last_seen_at', '>=', p.seenSince)
      .orderBy('h.agent_id'),
)

const knownForMs = 5000

type Known = { at: number; agents: Promise<string[]> }

const knownHolders = perApp(() => boundedCache<string, Known>(10_000))

/** The agents of a location that keep orders and are alive, as they were a few seconds ago at most. */
export const recentHolders = (app: App, location: string): Promise<string[]> => {
  const known = knownHolders(app)
  const now = app.clock.now()
  const before = known.get(location)
  if (before !== undefined && before.at <= now && now < before.at + knownForMs) return before.agents
  const agents = app.db
    .all(liveHolders, { location, seenSince: now - aliveMs, now })
    .then((rows) => rows.map(({ agent_id }) => agent_id).sort())
  known.set(location, { at: now, agents })
  agents.catch(() => known.delete(location))
  return agents
}

const keptMs = 86_400_000

const isOver = (now: number) => sql<boolean>`holds_until < ${now - keptMs}`

/** What an agent had a day after it was to forget it. */
export const orderHoldersKind: RetentionKind = {
  name: 'order-holders',
  table: 'order_holders',
  setting: null,
  makesRoom: false,
  piece: async (trx, { now }) => {
    const rows = await trx.execute((k) => k.deleteFrom('order_holders').where(isOver(now)))
    return { rows, next: null }
  },
  count: async (db, { before }) => {
    const [row] = await db.select((k) =>
      k
        .selectFrom('order_holders')
        .select((at) => at.fn.countAll<number>().as('total'))
        .where(isOver(before)),
    )
    return row?.total ?? 0
  },
  oldestAt: async (db) => {
    const [row] = await db.select((k) =>
      k.selectFrom('order_holders').select((at) => at.fn.min('told_at').as('oldest')),
    )
    return row?.oldest ?? null
  },
}
