/** All SQL about alert states, and what judging a run reads of other runs. */

import { someResults } from '../../monitoring/results/list-results.ts'
import type { Result } from '../../monitoring/results/result.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'
import type { AlertStatesTable } from '../../platform/store/database/tables/alert-states.ts'

/** The row of a check under the transaction's lock; made where there is none. */
export const lockAlertState = query('lock-alert-state', (k, p: AlertStatesTable) =>
  k
    .insertInto('alert_states')
    .values({
      check_id: p.check_id,
      account_id: p.account_id,
      level: p.level,
      wake_at: p.wake_at,
      updated_at: p.updated_at,
      doc: p.doc,
    })
    .onConflict((conflict) => conflict.column('check_id').doUpdateSet({ account_id: p.account_id }))
    .returningAll(),
)

export const updateAlertState = query('update-alert-state', (k, p: Omit<AlertStatesTable, 'account_id'>) =>
  k
    .updateTable('alert_states')
    .set({ level: p.level, wake_at: p.wake_at, updated_at: p.updated_at, doc: p.doc })
    .where('check_id', '=', p.check_id),
)

type OfCheck = { checkId: string }

export const deleteAlertState = query('delete-alert-state', (k, p: OfCheck) =>
  k.deleteFrom('alert_states').where('check_id', '=', p.checkId),
)

export const findAlertState = query('find-alert-state', (k, p: OfCheck) =>
  k.selectFrom('alert_states').selectAll().where('check_id', '=', p.checkId),
)

export const dueAlertStates = query('due-alert-states', (k, p: { now: number; limit: number }) =>
  k
    .selectFrom('alert_states')
    .select(['check_id', 'account_id'])
    .where('wake_at', '<=', p.now)
    .orderBy('wake_at')
    .limit(p.limit),
)

/** The one who still finds it due has it until the end of the transaction. */
export const lockDueAlertState = query('lock-due-alert-state', (k, p: OfCheck & { now: number }, engine) => {
  const one = k
    .selectFrom('alert_states')
    .selectAll()
    .where('check_id', '=', p.checkId)
    .where('wake_at', '<=', p.now)
  return engine.rowLocks ? one.forUpdate() : one
})

/** Of a check that is not well, or of which people still believe so. */
export const lockOpenAlertState = query('lock-open-alert-state', (k, p: OfCheck, engine) => {
  const one = k.selectFrom('alert_states').selectAll().where('check_id', '=', p.checkId)
  return engine.rowLocks ? one.forUpdate() : one
})

/** The final results of one due time in all locations. `since`: no run of it starts earlier. */
export const finalsOfRun = (
  db: Db,
  { checkId, checkRunId, since }: OfCheck & { checkRunId: number; since: number },
): Promise<Result[]> => {
  const filter = { checkRunId, resultType: 'FINAL' } as const
  return someResults(db, { checkId, direction: 'oldest-first', from: since, filter }, maxLocations)
}

/** More than a check has locations. */
const maxLocations = 10_000

/** The missed runs of one due time in all locations; ranges of several due times come from before any of them was run. */
export const missedOfRun = query('missed-of-run', (k, p: OfCheck & { checkRunId: number }) =>
  k
    .selectFrom('missed_runs')
    .select('id')
    .where('check_id', '=', p.checkId)
    .where('last_due_at', '=', p.checkRunId)
    .where('count', '=', 1),
)

/** When the check's latest run with a verdict ended, apart from these results. */
export const lastVerdictBefore = async (
  db: Db,
  { checkId, excluded }: OfCheck & { excluded: readonly string[] },
): Promise<Result | undefined> => {
  const filter = { resultType: 'FINAL', hasErrors: false, isCancelled: false } as const
  const last = await someResults(db, { checkId, direction: 'newest-first', filter }, excluded.length + 1)
  return last.find(({ id }) => !excluded.includes(id))
}
