/** Lists of checks: their shape depends on their filters. */
import { type AliasedExpression, type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/store/database/db.ts'
import type { Engine } from '../../../platform/store/database/engines.ts'
import type { ChecksTable } from '../../../platform/store/database/tables/runs.ts'
import type { Tables } from '../../../platform/store/database/tables.ts'
import { type CheckFilter, filteredChecks } from './filtered-checks.ts'
import { placesByState, statesInOrder } from './places-by-state.ts'

type Window = { limit: number; offset: number }
type ListedCheck = Pick<ChecksTable, 'id' | 'type' | 'created_at' | 'updated_at' | 'version' | 'doc'>

/** Oldest first: a check keeps its place. */
export const listChecks = (
  db: Db,
  filter: CheckFilter,
  { limit, offset, order = 'created' }: Window & { order?: ListOrder },
): Promise<ListedCheck[]> =>
  db.select((k, engine) =>
    withStatus(filteredChecks(k, engine, filter))
      .select(['c.id', 'c.type', 'c.created_at', 'c.updated_at', 'c.version', 'c.doc'])
      .orderBy(orders[order].key, orders[order].direction)
      .orderBy('c.created_at')
      .orderBy('c.id')
      .limit(limit)
      .offset(offset),
  )

type ListOrder = 'created' | 'name' | 'state' | 'lastRun'

type Order = { key: RawBuilder<string | number>; direction: 'asc' | 'desc' }

/** By what a list is in order; what is alike in it, oldest first. */
const orders: { [O in ListOrder]: Order } = {
  created: { key: sql`c.created_at`, direction: 'asc' },
  name: { key: sql`lower(c.name)`, direction: 'asc' },
  // What is worst comes first.
  state: {
    key: sql`case when c.activated = ${sql.lit(0)} then 6 when s.state is null then 4 when s.state = 'failing' then 0
      when s.state = 'degraded' then 1 when s.state = 'stale' then 2 when s.state = 'unknown' then 3 else 5 end`,
    direction: 'asc',
  },
  lastRun: { key: sql`coalesce(s.last_started_at, 0)`, direction: 'desc' },
}

type ListCursor = { createdAt: number; id: string }
type ListedAfter = ListedCheck & Pick<ChecksTable, 'name' | 'activated' | 'group_id'>

/** The same list from a place on, which takes no longer at its end than at its beginning. */
export const checksAfter = (
  db: Db,
  filter: CheckFilter,
  { after, limit }: { after: ListCursor | undefined; limit: number },
): Promise<ListedAfter[]> =>
  db.select((k, engine) => {
    const list = filteredChecks(k, engine, filter)
      .select(['c.id', 'c.type', 'c.created_at', 'c.updated_at', 'c.version', 'c.doc'])
      .select(['c.name', 'c.activated', 'c.group_id'])
      .orderBy('c.created_at')
      .orderBy('c.id')
      .limit(limit)
    if (after === undefined) return list
    return list
      .where('c.created_at', '>=', after.createdAt)
      .where((at) => at.or([at('c.created_at', '>', after.createdAt), at('c.id', '>', after.id)]))
  })

type Checks = Tables & { c: ChecksTable }

const withStatus = <O>(list: SelectQueryBuilder<Checks, 'c', O>) =>
  list.leftJoin('check_statuses as s', 's.check_id', 'c.id')

/** A place in an ordered list. */
export type OrderCursor = ListCursor & { key: string | number }

export type OrderedCheck = ListedAfter & {
  key: string | number
  state: string | null
  last_started_at: number | null
}

type Place = {
  order: ListOrder
  isReversed?: boolean
  after?: OrderCursor | undefined
  offset?: number
  limit: number
}

/**
 * The list in an order, from a place on, with what the checks are like now. Their documents are read once it is known whose: a sort
 * takes along all that it is asked for.
 */
export const orderedChecks = (db: Db, filter: CheckFilter, place: Place): Promise<OrderedCheck[]> =>
  db.select((k, engine) =>
    k
      .selectFrom(placesOf(k, engine, { filter, place }))
      .innerJoin('checks as l', 'l.id', 'p.id')
      .select(['l.id', 'l.type', 'l.created_at', 'l.updated_at', 'l.version', 'l.doc'])
      .select(['l.name', 'l.activated', 'l.group_id', 'p.state', 'p.last_started_at', 'p.key'])
      .orderBy('p.key', isRising(place) ? 'asc' : 'desc')
      .orderBy('l.created_at')
      .orderBy('l.id'),
  )

type PlaceRow = Pick<OrderedCheck, 'id' | 'state' | 'last_started_at' | 'key'>

const placesOf = (
  k: Kysely<Tables>,
  engine: Engine,
  { filter, place }: { filter: CheckFilter; place: Place },
): AliasedExpression<PlaceRow, 'p'> => {
  const { order, isReversed = false, after, offset = 0, limit } = place
  return order === 'state' && isWhole(filter) && isOfState(after)
    ? placesByState(k, { accountId: filter.accountId, isReversed, after, offset, limit }).as('p')
    : inOrder(filteredChecks(k, engine, filter), place).as('p')
}

/** Nothing is left out; of what a filter finds each state would have to be walked to its end. */
const isWhole = ({ accountId: _, ...filters }: CheckFilter): boolean =>
  Object.values(filters).every(
    (filter) => filter === undefined || (Array.isArray(filter) && filter.length === 0),
  )

const isOfState = (after: OrderCursor | undefined): boolean =>
  after === undefined || statesInOrder[Number(after.key)] !== undefined

const isRising = ({ order, isReversed = false }: Place): boolean =>
  (orders[order].direction === 'asc') !== isReversed

const inOrder = (checks: ReturnType<typeof filteredChecks>, place: Place) => {
  const { order, after, offset = 0, limit } = place
  const { key } = orders[order]
  const list = withStatus(checks)
    .select(['c.id', 's.state', 's.last_started_at', key.as('key')])
    .orderBy(key, isRising(place) ? 'asc' : 'desc')
    .orderBy('c.created_at')
    .orderBy('c.id')
    .limit(limit)
  if (after === undefined) return offset === 0 ? list : list.offset(offset)
  const behind = isRising(place) ? sql<boolean>`${key} > ${after.key}` : sql<boolean>`${key} < ${after.key}`
  return list.where((at) =>
    at.or([
      behind,
      at.and([
        sql<boolean>`${key} = ${after.key}`,
        at('c.created_at', '>=', after.createdAt),
        at.or([at('c.created_at', '>', after.createdAt), at('c.id', '>', after.id)]),
      ]),
    ]),
  )
}

/** Which checks they are, and no more: of ten thousand a walk through one index where nothing is filtered. */
export const checkPlaces = (
  db: Db,
  filter: CheckFilter,
  limit: number,
): Promise<Pick<ChecksTable, 'id' | 'created_at'>[]> =>
  db.select((k, engine) =>
    filteredChecks(k, engine, filter)
      .select(['c.id', 'c.created_at'])
      .orderBy('c.created_at')
      .orderBy('c.id')
      .limit(limit),
  )

export const countChecks = async (db: Db, filter: CheckFilter): Promise<number> => {
  const [row] = await db.select((k, engine) =>
    filteredChecks(k, engine, filter).select((at) => at.fn.countAll<number>().as('total')),
  )
  return row?.total ?? 0
}

type GroupCount = { group_id: number | null; place: number; total: number; muted: number }

/** How many of a group are in which state (`place`: that of the order by state), and how many of them are muted. */
export const countByGroup = (db: Db, filter: CheckFilter): Promise<GroupCount[]> =>
  db.select((k, engine) =>
    withStatus(filteredChecks(k, engine, filter))
      .select((at) => [
        'c.group_id',
        sql<number>`${orders.state.key}`.as('place'),
        at.fn.countAll<number>().as('total'),
        sql<number>`cast(sum(case when ${isMuted(engine)} then 1 else 0 end) as integer)`.as('muted'),
      ])
      .groupBy(['c.group_id', sql`2`]),
  )

/** A document is taken apart only if it says so anywhere. */
const isMuted = (engine: Engine): RawBuilder<boolean> =>
  sql`case when c.doc like ${sql.lit('%"muted":true%')}
    then cast(${engine.jsonPart(sql.ref('c.doc'), 'muted')} as text) in ('1', 'true') else ${sql.lit(1)} = 0 end`
