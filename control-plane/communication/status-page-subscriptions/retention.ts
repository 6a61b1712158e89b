/** Addresses that never said yes: what a robot leaves at a page goes by itself. */
import { sql } from 'kysely'
import type { RetentionKind } from '../../platform/retention/retention-kind.ts'

/** So long the link of the mail that asks is good. */
const unverifiedMs = 7 * 86_400_000

const isOver = (now: number) => sql<boolean>`status = 'PENDING' and created_at < ${now - unverifiedMs}`

/** Strangers leave so many addresses an hour at most (subscribe.ts): one statement takes what an hour has brought. */
export const unverifiedSubscriptionsKind: RetentionKind = {
  name: 'unverified-subscriptions',
  table: 'status_page_subscriptions',
  setting: null,
  makesRoom: false,
  piece: async (trx, { now }) => {
    const rows = await trx.execute((k) => k.deleteFrom('status_page_subscriptions').where(isOver(now)))
    return { rows, next: null }
  },
  count: async (db, { before }) => {
    const [row] = await db.select((k) =>
      k
        .selectFrom('status_page_subscriptions')
        .select((at) => at.fn.countAll<number>().as('total'))
        .where(isOver(before)),
    )
    return row?.total ?? 0
  },
  oldestAt: async (db) => {
    const [row] = await db.select((k) =>
      k
        .selectFrom('status_page_subscriptions')
        .select((at) => at.fn.min('created_at').as('oldest'))
        .where('status', '=', 'PENDING'),
    )
    return row?.oldest ?? null
  },
}
