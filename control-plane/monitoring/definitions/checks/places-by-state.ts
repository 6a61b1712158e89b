/**
 * All checks of an account by their state, the worst first. Each state is read by itself and in order, one behind the other in one
 * statement: it ends with the page, where a sort by state looks at every check of the account to show fifty.
 */
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { ChecksTable } from '../../../platform/store/database/tables/runs.ts'
import type { CheckStatusesTable } from '../../../platform/store/database/tables/statuses.ts'
import type { Tables } from '../../../platform/store/database/tables.ts'

/** A check's place in the order is that of its state here. */
export const statesInOrder = [
  'failing',
  'degraded',
  'stale',
  'unknown',
  'waiting',
  'passing',
  'paused',
] as const

type StateInOrder = (typeof statesInOrder)[number]

/** Those that the index of states finds; nearly all others pass. */
const statesOfIndex = ['failing', 'degraded', 'stale', 'unknown'] as const

const isOfIndex = (state: StateInOrder): state is (typeof statesOfIndex)[number] =>
  (statesOfIndex as readonly StateInOrder[]).includes(state)

type Joined = Tables & { c: ChecksTable; s: CheckStatusesTable }

/** The order of the tables is that in which SQLite is to read them: it keeps to that of a cross join. */
const checksIn = (k: Kysely<Tables>, accountId: string, state: StateInOrder) => {
  const checks = k.selectFrom('checks as c').where('c.account_id', '=', accountId)
  const active = checks.where('c.activated', '=', true)
  if (isOfIndex(state))
    return k
      .selectFrom('check_statuses as s')
      .crossJoin('checks as c')
      .whereRef('c.id', '=', 's.check_id')
      .where('s.account_id', '=', accountId)
      .where('s.state', '=', state)
      .where('c.activated', '=', true)
  if (state === 'passing')
    return active
      .crossJoin('check_statuses as s')
      .whereRef('s.check_id', '=', 'c.id')
      .where('s.state', 'not in', statesOfIndex)
  if (state === 'waiting')
    return active.leftJoin('check_statuses as s', 's.check_id', 'c.id').where('s.check_id', 'is', null)
  return checks.where('c.activated', '=', false).leftJoin('check_statuses as s', 's.check_id', 'c.id')
}

type Place = { createdAt: number; id: string; key: string | number }

type PageOfPlaces = {
  accountId: string
  isReversed: boolean
  /** The last one of the page before; its key is a place in the order. */
  after: Place | undefined
  offset: number
  limit: number
}

/** Rows of `id`, `state`, `last_started_at`, `key`: the place of the state. */
export const placesByState = (k: Kysely<Tables>, page: PageOfPlaces) => {
  const { accountId, isReversed, after, offset, limit } = page
  const keys = [...statesInOrder.keys()]
  const ordered = isReversed ? keys.reverse() : keys
  const left = after === undefined ? ordered : ordered.slice(ordered.indexOf(Number(after.key)))
  const [first, ...others] = left.map((key) => {
    const state = statesInOrder[key] as StateInOrder
    const all = checksIn(k, accountId, state) as unknown as SelectQueryBuilder<Joined, 'c' | 's', object>
    const behind = after !== undefined && key === Number(after.key) ? behindPlace(all, after) : all
    return k
      .selectFrom(
        behind
          .select(['c.id', 's.state', 's.last_started_at', sql<number>`${sql.lit(key)}`.as('key')])
          .orderBy('c.created_at')
          .orderBy('c.id')
          .limit(limit + offset)
          .as('p'),
      )
      .selectAll()
  })
  if (first === undefined) throw new Error(`No state has the place ${after?.key}`)
  const together = others.reduce((union, next) => union.unionAll(next), first).limit(limit)
  return offset === 0 ? together : together.offset(offset)
}

const behindPlace = (
  checks: SelectQueryBuilder<Joined, 'c' | 's', object>,
  { createdAt, id }: Pick<Place, 'createdAt' | 'id'>,
) =>
  checks
    .where('c.created_at', '>=', createdAt)
    .where((at) => at.or([at('c.created_at', '>', createdAt), at('c.id', '>', id)]))
