import type { Db } from './db.ts'
import { query } from './query.ts'

const increment = query('increment-counter', (k, p: { name: string; by: number }) =>
  k
    .insertInto('counters')
    .values({ name: p.name, value: p.by })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((set) => ({ value: set('counters.value', '+', p.by) })),
    )
    .returning('value'),
)

/**
 * The next small integer of a series (a kind of resource that people know by its number), from 1. Belongs in the transaction that uses
 * it: a transaction that is undone gives its number back.
 */
export const nextNumber = (trx: Db, series: string): Promise<number> => nextNumbers(trx, series, 1)

/** The first of so many numbers in a row. */
export const nextNumbers = async (trx: Db, series: string, count: number): Promise<number> => {
  const row = await trx.get(increment, { name: series, by: count })
  if (row === undefined) throw new Error(`The counter ${series} gave no number`)
  return row.value - count + 1
}
