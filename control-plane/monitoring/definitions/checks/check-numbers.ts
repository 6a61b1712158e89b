/**
 * The small number that rows of results have in place of a check's id. A check gets it in the transaction that makes it: whoever
 * stores its results only reads it, and waits for nobody.
 */
import { nextNumbers } from '../../../platform/store/database/counters.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { query } from '../../../platform/store/database/query.ts'
import { rowStatement, runForRows } from '../../../platform/store/database/row-statement.ts'
import type { CheckNumbersTable } from '../../../platform/store/database/tables/results.ts'

export type NumberedCheck = Omit<CheckNumbersTable, 'n'>

const checkNumberRows = rowStatement({
  name: 'insert-check-number',
  table: 'check_numbers',
  valuesOf: (p: CheckNumbersTable) => ({
    n: p.n,
    check_id: p.check_id,
    account_id: p.account_id,
    check_type: p.check_type,
  }),
  // Another control plane may have been first.
  also: (insert) => insert.onConflict((conflict) => conflict.column('check_id').doNothing()),
})

export const numberChecks = async (trx: Db, checks: readonly NumberedCheck[]): Promise<void> => {
  const first = await nextNumbers(trx, 'check-number', checks.length)
  await runForRows(
    trx,
    checkNumberRows,
    checks.map(({ check_id, account_id, check_type }, at) => ({
      n: first + at,
      check_id,
      account_id,
      check_type,
    })),
  )
}

export const numbersOfChecks = query('numbers-of-checks', (k, p: { ids: readonly string[] }, engine) =>
  k.selectFrom('check_numbers').selectAll().where('check_id', 'in', engine.textList(p.ids)),
)

export const checkNumber = query('check-number', (k, p: { checkId: string }) =>
  k.selectFrom('check_numbers').selectAll().where('check_id', '=', p.checkId),
)

export const deleteCheckNumber = query('delete-check-number', (k, p: { checkId: string }) =>
  k.deleteFrom('check_numbers').where('check_id', '=', p.checkId),
)
