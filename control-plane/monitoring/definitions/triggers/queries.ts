/** All SQL about triggers. */
import { query } from '../../../platform/store/database/query.ts'
import type { CheckTriggersTable } from '../../../platform/store/database/tables/checks.ts'

type Target = Pick<CheckTriggersTable, 'kind' | 'target'>
type OwnTarget = Target & { accountId: string }

/** One that is there stays as it is. */
export const insertTrigger = query('insert-check-trigger', (k, p: CheckTriggersTable) =>
  k
    .insertInto('check_triggers')
    .values({
      id: p.id,
      account_id: p.account_id,
      kind: p.kind,
      target: p.target,
      sealed_token: p.sealed_token,
      created_at: p.created_at,
      called_at: p.called_at,
    })
    .onConflict((conflict) => conflict.doNothing()),
)

/** Whoever has only its address knows no account. */
export const findTrigger = query('find-check-trigger', (k, p: Target) =>
  k.selectFrom('check_triggers').selectAll().where('kind', '=', p.kind).where('target', '=', p.target),
)

export const noteTriggerCall = query('note-check-trigger-call', (k, p: Target & { now: number }) =>
  k
    .updateTable('check_triggers')
    .set({ called_at: p.now })
    .where('kind', '=', p.kind)
    .where('target', '=', p.target),
)

export const deleteTrigger = query('delete-check-trigger', (k, p: OwnTarget) =>
  k
    .deleteFrom('check_triggers')
    .where('kind', '=', p.kind)
    .where('target', '=', p.target)
    .where('account_id', '=', p.accountId),
)
