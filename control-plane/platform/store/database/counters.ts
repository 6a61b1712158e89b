import type { Db } from './db.ts'
import { query } from './query.ts'

const increment = query('increment-counter', (k, p: { name: string }) =>
  k
    .insertInto('counters')
    .values({ name: p.name, value: 1 })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((set) => ({ value: set('counters.value', '+', 1) })),
    )
    .returning('value'),
)

/**
 * The next small integer of a series (`check-group`, `alert-channel` …), from 1. Belongs in the transaction that uses
 * it: a transaction that is undone gives its number back.
 */
export const nextNumber = async (trx: Db, series: string): Promise<number> => {
  const row = await trx.get(increment, { name: series })
  if (row === undefined) throw new Error(`The counter ${series} gave no number`)
  return row.value
}
