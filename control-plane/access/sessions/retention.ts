/** Sessions of people in browsers: what opens nothing any more goes. */
import { sql } from 'kysely'
import type { RetentionKind } from '../../platform/retention/retention-kind.ts'
import { idleMs, longestMs } from '../../platform/web/http/auth/session.ts'

const isOver = (now: number) => sql<boolean>`used_at < ${now - idleMs} or created_at < ${now - longestMs}`

/** As many as people signed in within 30 days: one statement. */
export const userSessionsKind: RetentionKind = {
  name: 'user-sessions',
  table: 'user_sessions',
  setting: null,
  makesRoom: false,
  piece: async (trx, { now }) => {
    const rows = await trx.execute((k) => k.deleteFrom('user_sessions').where(isOver(now)))
    return { rows, next: null }
  },
  count: async (db, { before }) => {
    const [row] = await db.select((k) =>
      k
        .selectFrom('user_sessions')
        .select((at) => at.fn.countAll<number>().as('total'))
        .where(isOver(before)),
    )
    return row?.total ?? 0
  },
  oldestAt: async (db) => {
    const [row] = await db.select((k) =>
      k.selectFrom('user_sessions').select((at) => at.fn.min('created_at').as('oldest')),
    )
    return row?.oldest ?? null
  },
}
