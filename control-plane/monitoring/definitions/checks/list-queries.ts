/** The list of checks: its shape depends on its filters. */
import { type Kysely, sql } from 'kysely'
import { taggedChecks, taggedGroups } from '../../../communication/maintenance-windows/tagged.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { containing, type Engine } from '../../../platform/store/database/engines.ts'
import type { ChecksTable } from '../../../platform/store/database/tables/runs.ts'
import type { Tables } from '../../../platform/store/database/tables.ts'

export type CheckFilter = {
  accountId: string
  checkId?: string | undefined
  groupId?: number | undefined
  checkType?: string | undefined
  /** Part of the name, in any case. */
  search?: string | undefined
  /** Any of them, on the check or its group. */
  tags?: readonly string[] | undefined
  status?: 'passing' | 'failing' | 'degraded' | 'unknown' | undefined
  /** Only those that run, or only those that do not. */
  activated?: boolean | undefined
  /** Only those through whose alerts nobody would be told: no active subscription is for them or their group. */
  isUntold?: boolean | undefined
  /** Part of the address of an API check. */
  apiUrlPart?: string | undefined
}

type Window = { limit: number; offset: number }
type ListedCheck = Pick<ChecksTable, 'id' | 'type' | 'created_at' | 'updated_at' | 'version' | 'doc'>

/** Oldest first: a check keeps its place. */
export const listChecks = (db: Db, filter: CheckFilter, { limit, offset }: Window): Promise<ListedCheck[]> =>
  db.select((k, engine) =>
    filtered(k, engine, filter)
      .select(['c.id', 'c.type', 'c.created_at', 'c.updated_at', 'c.version', 'c.doc'])
      .orderBy('c.created_at')
      .orderBy('c.id')
      .limit(limit)
      .offset(offset),
  )

export type ListCursor = { createdAt: number; id: string }
export type ListedAfter = ListedCheck & Pick<ChecksTable, 'name' | 'activated' | 'group_id'>

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

export const countChecks = async (db: Db, filter: CheckFilter): Promise<number> => {
  const [row] = await db.select((k, engine) =>
    filtered(k, engine, filter).select((at) => at.fn.countAll<number>().as('total')),
  )
  return row?.total ?? 0
}

const filtered = (k: Kysely<Tables>, engine: Engine, filter: CheckFilter) => {
  const { accountId, checkId, groupId, checkType, search, tags, status, activated, isUntold, apiUrlPart } =
    filter
  let list = k.selectFrom('checks as c').where('c.account_id', '=', accountId)
  if (checkId !== undefined) list = list.where('c.id', '=', checkId)
  if (groupId !== undefined) list = list.where('c.group_id', '=', groupId)
  if (checkType !== undefined) list = list.where('c.type', '=', checkType)
  if (activated !== undefined) list = list.where('c.activated', '=', activated)
  if (isUntold === true) list = list.where((at) => at.not(at.exists(subscriptionsOf(k))))
  if (search !== undefined)
    list = list.where((at) => engine.containsText(at.ref('c.name'), containing(search)))
  if (apiUrlPart !== undefined)
    list = list
      .where('c.type', '=', 'API')
      .where((at) =>
        engine.containsText(engine.jsonPart(at.ref('c.doc'), 'request.url'), containing(apiUrlPart)),
      )
  if (status !== undefined)
    list = list.where((at) =>
      at.exists(
        at
          .selectFrom('check_statuses as s')
          .select('s.check_id')
          .whereRef('s.check_id', '=', 'c.id')
          .where('s.state', '=', status),
      ),
    )
  if (tags !== undefined)
    list = list.where((at) =>
      at.or([
        at('c.id', 'in', taggedChecks(k, { accountId, tags }).select('check_id')),
        at('c.group_id', 'in', taggedGroups(k, { accountId, tags }).select('group_id')),
      ]),
    )
  return list
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
