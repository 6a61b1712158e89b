/** All SQL about alert states, and what judging a run reads of other runs. */
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

/** Which of these checks have a state: the others are well. */
export const statedChecks = query('stated-checks', (k, p: { checkIds: readonly string[] }, engine) =>
  k.selectFrom('alert_states').select('check_id').where('check_id', 'in', engine.textList(p.checkIds)),
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

/** The missed runs of one due time in all locations; ranges of several due times come from before any of them was run. */
export const missedOfRun = query('missed-of-run', (k, p: OfCheck & { checkRunId: number }) =>
  k
    .selectFrom('missed_runs')
    .select('id')
    .where('check_id', '=', p.checkId)
    .where('last_due_at', '=', p.checkRunId)
    .where('count', '=', 1),
)
