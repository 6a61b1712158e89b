/**
 * Partitions of a store of before these said when their runs started are asked for every time; once nothing comes in any more that
 * was made in their time, it is looked up, for one of them at a time.
 */
import { sql } from 'kysely'
import type { Database } from '../../../platform/store/database/db.ts'
import { query } from '../../../platform/store/database/query.ts'
import { change } from '../../../platform/store/database/raw-sql.ts'
import { tableOf } from '../../../platform/store/database/schema/period-tables.ts'
import { startsAfterMs } from '../raw-since.ts'

const unknownPeriod = query('result-period-of-unknown-starts', (k, p: { before: number }) =>
  k
    .selectFrom('result_periods')
    .select('n')
    .where('newest_at', 'is', null)
    .where('closed', '=', 0)
    .where('to_at', '<', p.before)
    .orderBy('from_at', 'desc')
    .limit(1),
)

/** A late result that finds nothing said waits for the lock, and looks again behind it (`insert-results.ts`). */
export const lookUpStarts = async (db: Database, { now }: { now: number }): Promise<void> => {
  if (!db.engine.partitions) return
  const period = await db.get(unknownPeriod, { before: now - startsAfterMs })
  if (period === undefined) return
  const rows = sql.table(tableOf('result_rows', `_${period.n}`))
  await db.transaction(
    async (trx) => {
      await change(trx, sql`lock table ${rows} in share mode`)
      await change(
        trx,
        sql`update result_periods set oldest_at = coalesce(starts.oldest, from_at), newest_at = coalesce(starts.newest, to_at - 1)
          from (select min(started_at) as oldest, max(started_at) as newest from ${rows}) as starts
          where n = ${period.n} and newest_at is null`,
      )
    },
    // A day of ten million rows is read whole, once.
    { unhurried: true },
  )
}
