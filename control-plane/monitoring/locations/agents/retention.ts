/** Agents that were not seen again: a container that starts anew has a new id. */
import { sql } from 'kysely'
import type { RetentionKind } from '../../../platform/retention/retention-kind.ts'

const unseen = (before: number) => sql<boolean>`last_seen_at < ${before}`

/** As many as there were starts of agents in a month: one statement. */
export const agentsKind: RetentionKind = {
  name: 'agents',
  table: 'agents',
  setting: 'agents',
  makesRoom: false,
  piece: async (trx, { before }) => {
    const rows = await trx.execute((k) => k.deleteFrom('agents').where(unseen(before)))
    return { rows, next: null }
  },
  count: async (db, { before }) => {
    const [row] = await db.select((k) =>
      k
        .selectFrom('agents')
        .select((at) => at.fn.countAll<number>().as('total'))
        .where(unseen(before)),
    )
    return row?.total ?? 0
  },
  oldestAt: async (db) => {
    const [row] = await db.select((k) =>
      k.selectFrom('agents').select((at) => at.fn.min('last_seen_at').as('oldest')),
    )
    return row?.oldest ?? null
  },
}
