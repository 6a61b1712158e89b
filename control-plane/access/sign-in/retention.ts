/** Links that nobody used. */
import { sql } from 'kysely'
import type { RetentionKind } from '../../platform/retention/retention-kind.ts'

const isOver = (now: number) => sql<boolean>`expires_at < ${now}`

/** One for each user at most: one statement. */
export const signInLinksKind: RetentionKind = {
  name: 'sign-in-links',
  table: 'sign_in_links',
  setting: null,
  makesRoom: false,
  piece: async (trx, { now }) => {
    const rows = await trx.execute((k) => k.deleteFrom('sign_in_links').where(isOver(now)))
    return { rows, next: null }
  },
  count: async (db, { before }) => {
    const [row] = await db.select((k) =>
      k
        .selectFrom('sign_in_links')
        .select((at) => at.fn.countAll<number>().as('total'))
        .where(isOver(before)),
    )
    return row?.total ?? 0
  },
  oldestAt: async (db) => {
    const [row] = await db.select((k) =>
      k.selectFrom('sign_in_links').select((at) => at.fn.min('created_at').as('oldest')),
    )
    return row?.oldest ?? null
  },
}
