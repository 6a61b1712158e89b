/** Of checks that are gone: who had orders for them has been told, or is told everything anew. */
import { sql } from 'kysely'
import type { RetentionKind } from '../../platform/retention/retention-kind.ts'

export const removalsKeptMs = 7 * 86_400_000

const isOver = (now: number) => sql<boolean>`writes < 0 and changed_at < ${now - removalsKeptMs}`

export const removalsKind: RetentionKind = {
  name: 'removed-checks',
  table: 'configuration_changes',
  setting: null,
  makesRoom: false,
  piece: async (trx, { now }) => {
    const rows = await trx.execute((k) => k.deleteFrom('configuration_changes').where(isOver(now)))
    return { rows, next: null }
  },
  count: async (db, { before }) => {
    const [row] = await db.select((k) =>
      k
        .selectFrom('configuration_changes')
        .select((at) => at.fn.countAll<number>().as('total'))
        .where(isOver(before)),
    )
    return row?.total ?? 0
  },
  oldestAt: async (db) => {
    const [row] = await db.select((k) =>
      k
        .selectFrom('configuration_changes')
        .select((at) => at.fn.min('changed_at').as('oldest'))
        .where('writes', '<', 0),
    )
    return row?.oldest ?? null
  },
}
