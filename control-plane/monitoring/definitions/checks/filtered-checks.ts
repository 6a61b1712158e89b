/** Which checks a list has, whoever asks for it. */
import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import { flapsOrNot } from '../../../alerting/engine/state-queries.ts'
import { taggedChecks, taggedGroups } from '../../../communication/maintenance-windows/tagged.ts'
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

/** Of `checks as c`. */
export const filteredChecks = (k: Kysely<Tables>, engine: Engine, filter: CheckFilter) => {
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
