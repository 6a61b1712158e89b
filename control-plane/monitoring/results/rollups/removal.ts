/** The rollups of a removed check go little by little, as its results do. */
import { sql } from 'kysely'
import { query } from '../../../platform/store/database/query.ts'

type OfCheck = { checkId: string }

const numberOf = (checkId: string) =>
  sql<number>`(select number from rollup_checks where check_id = ${checkId})`

export const deleteSomeRollups = query('delete-some-rollups', (k, p: OfCheck & { limit: number }) =>
  k.deleteFrom('result_rollups').where(
    sql<boolean>`(check_number, minutes, series, start_at) in (
      select check_number, minutes, series, start_at from result_rollups
      where check_number = ${numberOf(p.checkId)}
      order by check_number, minutes, series, start_at limit ${p.limit})`,
  ),
)

export const oneRollup = query('one-rollup', (k, p: OfCheck) =>
  k
    .selectFrom('result_rollups')
    .select('start_at')
    .where(sql<boolean>`check_number = ${numberOf(p.checkId)}`)
    .limit(1),
)

export const deleteRollupCheck = query('delete-rollup-check', (k, p: OfCheck) =>
  k.deleteFrom('rollup_checks').where('check_id', '=', p.checkId),
)
