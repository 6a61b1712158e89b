/** A newer program changes a table while an older one works: statements that were prepared before are tried again. */
import { sql } from 'kysely'
import t from 'tap'
import { migrate } from '../../../../../control-plane/platform/store/database/migrate.ts'
import { openPostgres } from '../../../../../control-plane/platform/store/database/postgres.ts'
import { query } from '../../../../../control-plane/platform/store/database/query.ts'
import { change } from '../../../../../control-plane/platform/store/database/raw-sql.ts'
import { freshDatabaseUrl } from '../../../../support/databases.ts'

const everyCounter = query('test-every-counter', (k, _: Record<string, never>) =>
  k.selectFrom('counters').selectAll(),
)

t.test('a column that is added under prepared statements costs nobody an error', async (t) => {
  const url = await freshDatabaseUrl(t, 'postgres')
  const poolSize = 4
  const older = openPostgres(url, { poolSize })
  t.teardown(() => older.close())
  const newer = openPostgres(url)
  t.teardown(() => newer.close())
  await migrate(newer, 0)
  const onEveryConnection = <T>(work: () => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: poolSize }, work))
  const inTransaction = () =>
    older.transaction(async (trx) => {
      await trx.select((k) => k.selectNoFrom(sql`pg_sleep(0.05)`.as('slept')))
      return (await trx.all(everyCounter, {})).length
    })
  const alone = async () => (await older.all(everyCounter, {})).length
  const [counters] = await onEveryConnection(inTransaction)
  const expected = Array.from({ length: poolSize }, () => counters)
  await change(newer, sql`alter table counters add column later integer`)
  t.strictSame(await onEveryConnection(inTransaction), expected, 'in transactions')
  await onEveryConnection(inTransaction)
  await change(newer, sql`alter table counters add column latest integer`)
  t.strictSame(await onEveryConnection(alone), expected, 'alone')
})
