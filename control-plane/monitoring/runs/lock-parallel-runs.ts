/**
 * A parallel run is judged by what all of its locations have brought, so outcomes of one such check are taken one after
 * the other: of two that cannot see each other, neither would find the round complete. An engine with a single writer
 * does that by itself. Before anything else is locked or read, and in the order of ids, so that batches do not deadlock.
 */
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'

/** `ids`: of checks. The check's row stays in place: whoever refers to it does not wait. */
const lockParallelChecks = query('lock-parallel-checks', (k, p: { ids: readonly string[] }, engine) =>
  k
    .selectFrom('checks as c')
    .innerJoin('schedules as s', 's.check_id', 'c.id')
    .select('c.id')
    .where('c.id', 'in', engine.textList(p.ids))
    .where('s.parallel', '=', true)
    .orderBy('c.id')
    .forNoKeyUpdate('c'),
)

const lockParallelChecksOfJobs = query(
  'lock-parallel-checks-of-jobs',
  (k, p: { ids: readonly string[] }, engine) =>
    k
      .selectFrom('checks as c')
      .innerJoin('schedules as s', 's.check_id', 'c.id')
      .select('c.id')
      .where('c.id', 'in', (of) =>
        of
          .selectFrom('jobs')
          .select('jobs.check_id')
          .where('jobs.id', 'in', engine.textList(p.ids))
          .unionAll(
            of
              .selectFrom('missed_runs')
              .select('missed_runs.check_id')
              .where('missed_runs.id', 'in', engine.textList(p.ids)),
          ),
      )
      .where('s.parallel', '=', true)
      .orderBy('c.id')
      .forNoKeyUpdate('c'),
)

export const lockParallelRuns = async (trx: Db, checkIds: string[]): Promise<void> => {
  if (!trx.engine.rowLocks || checkIds.length === 0) return
  await trx.all(lockParallelChecks, { ids: [...new Set(checkIds)] })
}

export const lockParallelRunsOfJobs = async (trx: Db, ids: readonly string[]): Promise<void> => {
  if (trx.engine.rowLocks) await trx.all(lockParallelChecksOfJobs, { ids })
}
