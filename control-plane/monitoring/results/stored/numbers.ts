/** Small numbers that rows of results have in place of the ids of checks and the names of locations. */
import { nextNumber } from '../../../platform/store/database/counters.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { query } from '../../../platform/store/database/query.ts'
import type { CheckNumbersTable } from '../../../platform/store/database/tables/results.ts'

type NumberedCheck = Omit<CheckNumbersTable, 'n'>

export const numbersOfChecks = query('numbers-of-checks', (k, p: { ids: readonly string[] }, engine) =>
  k.selectFrom('check_numbers').selectAll().where('check_id', 'in', engine.textList(p.ids)),
)

const insertCheckNumber = query('insert-check-number', (k, p: CheckNumbersTable) =>
  k
    .insertInto('check_numbers')
    .values({ n: p.n, check_id: p.check_id, account_id: p.account_id, check_type: p.check_type })
    .onConflict((conflict) => conflict.column('check_id').doNothing()),
)

export const deleteCheckNumber = query('delete-check-number', (k, p: { checkId: string }) =>
  k.deleteFrom('check_numbers').where('check_id', '=', p.checkId),
)

export const checkNumber = query('check-number', (k, p: { checkId: string }) =>
  k.selectFrom('check_numbers').selectAll().where('check_id', '=', p.checkId),
)

/** Numbers of checks by their ids; those that have none get one. */
export const numberChecks = async (
  trx: Db,
  checks: ReadonlyMap<string, NumberedCheck>,
): Promise<Map<string, number>> => {
  const ids = [...checks.keys()]
  const numbers = new Map((await trx.all(numbersOfChecks, { ids })).map(({ n, check_id }) => [check_id, n]))
  const missing = ids.filter((id) => !numbers.has(id))
  if (missing.length === 0) return numbers
  for (const id of missing) {
    const check = checks.get(id)
    if (check) {
      const { check_id, account_id, check_type } = check
      const n = await nextNumber(trx, 'check-number')
      await trx.run(insertCheckNumber, { n, check_id, account_id, check_type })
    }
  }
  // Another control plane may have been first.
  for (const { n, check_id } of await trx.all(numbersOfChecks, { ids: missing })) numbers.set(check_id, n)
  return numbers
}

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
