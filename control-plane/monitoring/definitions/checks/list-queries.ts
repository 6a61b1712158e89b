/** The list of checks: its shape depends on its filters. */
import { type ExpressionBuilder, type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { flapsOrNot } from '../../../alerting/engine/state-queries.ts'
import { taggedChecks, taggedGroups } from '../../../communication/maintenance-windows/tagged.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { containing, type Engine } from '../../../platform/store/database/engines.ts'
import { hasText } from '../../../platform/store/database/has-text.ts'
import type { ChecksTable } from '../../../platform/store/database/tables/runs.ts'
import type { Tables } from '../../../platform/store/database/tables.ts'

export type CheckFilter = {
  accountId: string
  checkId?: string | undefined
  /** Null: those that are in none. */
  groupId?: number | null | undefined
  checkType?: string | undefined
  /** Any of these. */
  ids?: readonly string[] | undefined
  /** Part of the name, the address or a tag, in any case, or the id. */
  search?: string | undefined
  /** Any of them, on the check or its group. */
  tags?: readonly string[] | undefined
  /** All of them, on the check or its group. */
  everyTag?: readonly string[] | undefined
  /** `waiting`: has not run yet, and is not paused. */
  status?: 'passing' | 'failing' | 'degraded' | 'unknown' | 'stale' | 'waiting' | undefined
  /** Only those that run, or only those that do not. */
  activated?: boolean | undefined
  /** Only those through whose alerts nobody would be told: no active subscription is for them or their group. */
  isUntold?: boolean | undefined
  /** Only those that flap, or only those that do not. */
  flapping?: boolean | undefined
  /** Part of the address of an API check. */
  apiUrlPart?: string | undefined
}

type Window = { limit: number; offset: number }
type ListedCheck = Pick<ChecksTable, 'id' | 'type' | 'created_at' | 'updated_at' | 'version' | 'doc'>

/** Oldest first: a check keeps its place. */
export const listChecks = (
  db: Db,
  filter: CheckFilter,
  { limit, offset, order = 'created' }: Window & { order?: ListOrder },
): Promise<ListedCheck[]> =>
  db.select((k, engine) =>
    withStatus(filtered(k, engine, filter))
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
    const list = filtered(k, engine, filter)
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

/** The list in an order, from a place on, with what the checks are like now. */
export const orderedChecks = (
  db: Db,
  filter: CheckFilter,
  { order, isReversed = false, after, offset = 0, limit }: Place,
): Promise<OrderedCheck[]> =>
  db.select((k, engine) => {
    const { key, direction } = orders[order]
    const isRising = (direction === 'asc') !== isReversed
    const list = withStatus(filtered(k, engine, filter))
      .select(['c.id', 'c.type', 'c.created_at', 'c.updated_at', 'c.version', 'c.doc'])
      .select(['c.name', 'c.activated', 'c.group_id', 's.state', 's.last_started_at', key.as('key')])
      .orderBy(key, isRising ? 'asc' : 'desc')
      .orderBy('c.created_at')
      .orderBy('c.id')
      .limit(limit)
    if (after === undefined) return offset === 0 ? list : list.offset(offset)
    const behind = isRising ? sql<boolean>`${key} > ${after.key}` : sql<boolean>`${key} < ${after.key}`
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
  })

/** Which checks they are, and no more: of ten thousand a walk through one index where nothing is filtered. */
export const checkPlaces = (
  db: Db,
  filter: CheckFilter,
  limit: number,
): Promise<Pick<ChecksTable, 'id' | 'created_at'>[]> =>
  db.select((k, engine) =>
    filtered(k, engine, filter)
      .select(['c.id', 'c.created_at'])
      .orderBy('c.created_at')
      .orderBy('c.id')
      .limit(limit),
  )

export const countChecks = async (db: Db, filter: CheckFilter): Promise<number> => {
  const [row] = await db.select((k, engine) =>
    filtered(k, engine, filter).select((at) => at.fn.countAll<number>().as('total')),
  )
  return row?.total ?? 0
}

type GroupCount = { group_id: number | null; place: number; total: number; muted: number }

/** How many of a group are in which state (`place`: that of the order by state), and how many of them are muted. */
export const countByGroup = (db: Db, filter: CheckFilter): Promise<GroupCount[]> =>
  db.select((k, engine) =>
    withStatus(filtered(k, engine, filter))
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

/** The states by their place in the order by state. */
export const statesInOrder = [
  'failing',
  'degraded',
  'stale',
  'unknown',
  'waiting',
  'passing',
  'paused',
] as const

const filtered = (k: Kysely<Tables>, engine: Engine, filter: CheckFilter) => {
  const {
    accountId,
    ids,
    checkId,
    groupId,
    checkType,
    search,
    tags,
    everyTag = [],
    status,
    activated,
    apiUrlPart,
  } = filter
  let list = k.selectFrom('checks as c').where('c.account_id', '=', accountId)
  if (ids !== undefined) list = list.where('c.id', 'in', engine.textList(ids))
  if (checkId !== undefined) list = list.where('c.id', '=', checkId)
  if (groupId !== undefined)
    list = groupId === null ? list.where('c.group_id', 'is', null) : list.where('c.group_id', '=', groupId)
  if (checkType !== undefined) list = list.where('c.type', '=', checkType)
  if (activated !== undefined) list = list.where('c.activated', '=', activated)
  if (filter.isUntold === true) list = list.where((at) => at.not(at.exists(subscriptionsOf(k))))
  if (filter.flapping !== undefined) list = list.where(flapsOrNot(filter.flapping))
  if (search !== undefined) list = list.where(isFound(engine, accountId, search))
  if (apiUrlPart !== undefined)
    list = list
      .where('c.type', '=', 'API')
      .where((at) =>
        engine.containsText(engine.jsonPart(at.ref('c.doc'), 'request.url'), containing(apiUrlPart)),
      )
  if (status === 'waiting')
    list = list
      .where('c.activated', '=', true)
      .where((at) =>
        at.not(
          at.exists(
            at.selectFrom('check_statuses as s').select('s.check_id').whereRef('s.check_id', '=', 'c.id'),
          ),
        ),
      )
  else if (status !== undefined)
    list = list.where((at) =>
      at.exists(
        at
          .selectFrom('check_statuses as s')
          .select('s.check_id')
          .whereRef('s.check_id', '=', 'c.id')
          .where('s.state', '=', status),
      ),
    )
  for (const anyOf of [...(tags === undefined ? [] : [tags]), ...everyTag.map((tag) => [tag])])
    list = list.where((at) =>
      at.or([
        at('c.id', 'in', taggedChecks(k, { accountId, tags: anyOf }).select('check_id')),
        at('c.group_id', 'in', taggedGroups(k, { accountId, tags: anyOf }).select('group_id')),
      ]),
    )
  return list
}

/** Where the address of what a check asks is in its document. */
const addresses = ['request.url', 'request.hostname', 'request.query', 'request.sslConfig.hostname']
const searchable = { columns: ['c.name'], paths: addresses, doc: 'c.doc' }

const isFound =
  (engine: Engine, accountId: string, search: string) =>
  (at: ExpressionBuilder<Tables & { c: ChecksTable }, 'c'>) => {
    const pattern = containing(search)
    return at.or([
      hasText(engine, searchable, search),
      at('c.id', '=', search.trim().toLowerCase()),
      at(
        'c.id',
        'in',
        at
          .selectFrom('check_tags as t')
          .select('t.check_id')
          .where('t.account_id', '=', accountId)
          .where((tag) => engine.containsText(tag.ref('t.tag'), pattern)),
      ),
    ])
  }

/** Of the check `c` and its group; where both subscribe to a channel, the check's own subscription decides. */
const subscriptionsOf = (k: Kysely<Tables>) =>
  k
    .selectFrom('channel_subscriptions as s')
    .select('s.id')
    .whereRef('s.account_id', '=', 'c.account_id' as never)
    .where('s.activated', '=', true)
    .where(sql<boolean>`s.subject in ('check:' || c.id, 'group:' || c.group_id)`)
    .where(
      sql<boolean>`(s.subject = 'check:' || c.id or not exists (
        select 1 from channel_subscriptions own
        where own.channel_id = s.channel_id and own.subject = 'check:' || c.id))`,
    )
