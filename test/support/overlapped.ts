/** Two control planes of one PostgreSQL whose transactions overlap, made so without a sleep. */
import { sql } from 'kysely'
import type { Database, Db } from '../../control-plane/platform/store/database/db.ts'
import type { WholeApp } from '../../control-plane/whole-app.ts'

/** An app whose transactions do their work, say so, and commit only when told. */
const holding = (app: WholeApp) => {
  const worked = Promise.withResolvers<void>()
  const commit = Promise.withResolvers<void>()
  const db: Database = {
    ...app.db,
    transaction: <T>(work: (trx: Db) => Promise<T>): Promise<T> =>
      app.db.transaction(async (trx) => {
        const value = await work(trx)
        worked.resolve()
        await commit.promise
        return value
      }),
  }
  return { app: { ...app, db }, worked: worked.promise, commit: commit.resolve }
}

const waiters = sql<number>`(
  select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
)`

const somebodyWaits = async ({ db }: WholeApp): Promise<boolean> => {
  const [row] = await db.select((k) => k.selectNoFrom(waiters.as('count')))
  return (row?.count ?? 0) > 0
}

/** Starts `second` while `first` is done but for its commit, which comes once `second` waits or is done as well. */
export const overlapped = async (
  app: WholeApp,
  first: (app: WholeApp) => Promise<unknown>,
  second: (app: WholeApp) => Promise<unknown>,
): Promise<void> => {
  const held = holding(app)
  const ending = first(held.app)
  await held.worked
  let isDone = false
  const other = second(app).finally(() => {
    isDone = true
  })
  while (!isDone && !(await somebodyWaits(app)));
  held.commit()
  await Promise.all([ending, other])
}
