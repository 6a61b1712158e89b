/** Small numbers that rows of results have in place of the names of locations; those of checks are in definitions/checks/check-numbers.ts. */
import { nextNumber } from '../../../platform/store/database/counters.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { query } from '../../../platform/store/database/query.ts'

const numbersOfLocations = query('numbers-of-locations', (k, p: { names: readonly string[] }, engine) =>
  k.selectFrom('location_numbers').selectAll().where('name', 'in', engine.textList(p.names)),
)

const insertLocationNumber = query('insert-location-number', (k, p: { n: number; name: string }) =>
  k
    .insertInto('location_numbers')
    .values({ n: p.n, name: p.name })
    .onConflict((conflict) => conflict.column('name').doNothing()),
)

export const locationNumber = query('location-number', (k, p: { name: string }) =>
  k.selectFrom('location_numbers').select('n').where('name', '=', p.name),
)

export const numberLocations = async (trx: Db, names: readonly string[]): Promise<Map<string, number>> => {
  const numbers = new Map((await trx.all(numbersOfLocations, { names })).map(({ n, name }) => [name, n]))
  const missing = names.filter((name) => !numbers.has(name))
  if (missing.length === 0) return numbers
  for (const name of missing)
    await trx.run(insertLocationNumber, { n: await nextNumber(trx, 'location-number'), name })
  for (const { n, name } of await trx.all(numbersOfLocations, { names: missing })) numbers.set(name, n)
  return numbers
}
