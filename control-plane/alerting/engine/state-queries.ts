/** All SQL about alert states, and what judging a run reads of other runs. */
import { type RawBuilder, sql } from 'kysely'
import { integer, text } from '../../platform/store/database/ddl.ts'
import { query } from '../../platform/store/database/query.ts'
import { rowStatement } from '../../platform/store/database/row-statement.ts'
import type { AlertStatesTable } from '../../platform/store/database/tables/alert-states.ts'

type HeldCheck = { check_id: string; account_id: string }

/** The rows of checks under the transaction's lock, in the order of their ids; made where there are none, with an empty document. */
export const holdAlertStates = query(
  'hold-alert-states',
  (k, p: { checks: readonly HeldCheck[]; now: number }, engine) =>
    k
      .insertInto('alert_states')
      .columns(['check_id', 'account_id', 'level', 'wake_at', 'updated_at', 'doc'])
      .expression(
        k
          .selectFrom(
            engine.rowList(p.checks, { check_id: text, account_id: text }).$castTo<HeldCheck>().as('r'),
          )
          .select((at) => [
            'r.check_id',
            'r.account_id',
            sql.lit('passing').as('level'),
            sql<number | null>`cast(null as bigint)`.as('wake_at'),
            at.cast<number>(at.val(p.now), 'bigint').as('updated_at'),
            sql.lit('').as('doc'),
          ])
          // SQLite would take `on conflict` for a join without it.
          .where(sql<boolean>`true`)
          .orderBy('r.check_id'),
      )
      .onConflict((conflict) =>
        conflict.column('check_id').doUpdateSet((set) => ({ account_id: set.ref('excluded.account_id') })),
      )
      .returning(['check_id', 'doc']),
)

/** Of rows that are held. */
export const alertStateRows = rowStatement({
  name: 'save-alert-state',
  table: 'alert_states',
  valuesOf: (p: AlertStatesTable) => ({
    check_id: p.check_id,
    account_id: p.account_id,
    level: p.level,
    wake_at: p.wake_at,
    updated_at: p.updated_at,
    doc: p.doc,
  }),
  also: (insert) =>
    insert.onConflict((conflict) =>
      conflict.column('check_id').doUpdateSet((set) => ({
        level: set.ref('excluded.level'),
        wake_at: set.ref('excluded.wake_at'),
        updated_at: set.ref('excluded.updated_at'),
        doc: set.ref('excluded.doc'),
      })),
    ),
})

type OfCheck = { checkId: string }

export const deleteAlertState = query('delete-alert-state', (k, p: OfCheck) =>
  k.deleteFrom('alert_states').where('check_id', '=', p.checkId),
)

export const deleteAlertStates = query(
  'delete-alert-states',
  (k, p: { checkIds: readonly string[] }, engine) =>
    k.deleteFrom('alert_states').where('check_id', 'in', engine.textList(p.checkIds)),
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

/** In JSON, text of others has no quotation mark without a backslash: only the state itself says so. */
const isFlapping = sql.lit('%"isOn":true%')

/** Of all accounts. */
export const flappingChecks = query('flapping-checks', (k, _: object) =>
  k
    .selectFrom('alert_states')
    .select((at) => at.fn.countAll<number>().as('total'))
    .where('doc', 'like', isFlapping),
)

/** Of the check `c`. */
export const flapsOrNot = (flaps: boolean): RawBuilder<boolean> =>
  sql`${flaps ? sql`` : sql`not `}exists (select 1 from alert_states flaps
    where flaps.check_id = c.id and flaps.doc like ${isFlapping})`

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

type RunOfCheck = { listed_id: string; listed_run: number }

/** The missed runs of due times, in all locations; ranges of several due times come from before any of them was run. */
export const missedOfRuns = query('missed-of-runs', (k, p: { runs: readonly RunOfCheck[] }, engine) =>
  k
    .selectFrom(
      engine.rowList(p.runs, { listed_id: text, listed_run: integer }).$castTo<RunOfCheck>().as('listed'),
    )
    .innerJoin('missed_runs as m', 'm.check_id', 'listed.listed_id')
    .select(['m.id', 'listed.listed_id', 'listed.listed_run'])
    .whereRef('m.last_due_at', '=', 'listed.listed_run')
    .where('m.count', '=', 1),
)
