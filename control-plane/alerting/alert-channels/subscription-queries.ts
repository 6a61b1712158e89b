/** All SQL about who subscribes to which alert channel. Locks keep both ends in place until the transaction ends. */
import { taggedChecks, taggedGroups } from '../../communication/maintenance-windows/tagged.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { containing } from '../../platform/store/database/engines.ts'
import { query } from '../../platform/store/database/query.ts'
import { rowStatement } from '../../platform/store/database/row-statement.ts'
import type { ChannelSubscriptionsTable } from '../../platform/store/database/tables/alert-channels.ts'

/** Ids of the account's channels that will not go away meanwhile. */
export const holdChannels = query('hold-alert-channels', (k, p: { accountId: string }, engine) => {
  const all = k
    .selectFrom('alert_channels')
    .select(['id', 'auto_subscribe'])
    .where('account_id', '=', p.accountId)
    .orderBy('id')
  return engine.rowLocks ? all.forShare() : all
})

type Ids = { accountId: string; ids: readonly string[] }

export const holdChecks = query('hold-checks', (k, p: Ids, engine) => {
  const some = k
    .selectFrom('checks')
    .select('id')
    .where('account_id', '=', p.accountId)
    .where('id', 'in', engine.textList(p.ids))
    .orderBy('id')
  return engine.rowLocks ? some.forShare() : some
})

export const holdGroups = (trx: Db, accountId: string, ids: number[]): Promise<Array<{ id: number }>> =>
  ids.length === 0
    ? Promise.resolve([])
    : trx.select((k, engine) => {
        const some = k
          .selectFrom('check_groups')
          .select('id')
          .where('account_id', '=', accountId)
          .where('id', 'in', [...new Set(ids)])
          .orderBy('id')
        return engine.rowLocks ? some.forShare() : some
      })

/** Which checks of an account: all, or those that one of the others holds for. */
export type Which = {
  all?: boolean | undefined
  /** Part of the name, in any case. */
  search?: string | undefined
  /** Any of them, on the check or its group. */
  tags?: readonly string[] | undefined
  groupIds?: readonly number[] | undefined
}

/** Ids of such checks, which will not go away meanwhile. */
export const holdChecksThat = (
  trx: Db,
  accountId: string,
  { all = false, search, tags = [], groupIds = [] }: Which,
): Promise<Array<{ id: string }>> =>
  trx.select((k, engine) => {
    const ofAccount = k
      .selectFrom('checks as c')
      .select('c.id')
      .where('c.account_id', '=', accountId)
      .orderBy('c.id')
    const chosen = all
      ? ofAccount
      : ofAccount.where((at) =>
          at.or([
            ...(search === undefined ? [] : [engine.containsText(at.ref('c.name'), containing(search))]),
            ...(groupIds.length === 0 ? [] : [at('c.group_id', 'in', groupIds)]),
            ...(tags.length === 0
              ? []
              : [
                  at('c.id', 'in', taggedChecks(k, { accountId, tags }).select('check_id')),
                  at('c.group_id', 'in', taggedGroups(k, { accountId, tags }).select('group_id')),
                ]),
          ]),
        )
    return engine.rowLocks ? chosen.forShare() : chosen
  })

/** A check that subscribes already keeps its subscription, as active as it is said to be now. */
export const subscriptionRows = rowStatement({
  name: 'subscribe-checks',
  table: 'channel_subscriptions',
  valuesOf: (p: ChannelSubscriptionsTable) => ({
    id: p.id,
    account_id: p.account_id,
    channel_id: p.channel_id,
    subject: p.subject,
    check_id: p.check_id,
    group_id: p.group_id,
    activated: p.activated,
  }),
  also: (insert) =>
    insert.onConflict((conflict) =>
      conflict
        .columns(['channel_id', 'subject'])
        .doUpdateSet((set) => ({ activated: set.ref('excluded.activated') })),
    ),
})

export const upsertSubscription = query('upsert-channel-subscription', (k, p: ChannelSubscriptionsTable) =>
  k
    .insertInto('channel_subscriptions')
    .values({
      id: p.id,
      account_id: p.account_id,
      channel_id: p.channel_id,
      subject: p.subject,
      check_id: p.check_id,
      group_id: p.group_id,
      activated: p.activated,
    })
    .onConflict((conflict) =>
      conflict.columns(['channel_id', 'subject']).doUpdateSet({ activated: p.activated }),
    )
    .returning(['id', 'check_id', 'group_id', 'activated']),
)

/** A channel's subscriptions whose subjects are not in `kept`. */
export const deleteOthersOfChannel = query(
  'delete-other-subscriptions-of-channel',
  (k, p: { channelId: number; retained: readonly string[] }, engine) =>
    k
      .deleteFrom('channel_subscriptions')
      .where('channel_id', '=', p.channelId)
      .where('subject', 'not in', engine.textList(p.retained)),
)

type Subject = { accountId: string; subject: string }

export const deleteOfSubject = query('delete-subscriptions-of-subject', (k, p: Subject) =>
  k
    .deleteFrom('channel_subscriptions')
    .where('account_id', '=', p.accountId)
    .where('subject', '=', p.subject),
)

/** What subjects subscribe to, with what the channels hold. */
export const channelsOfSubjects = query(
  'channels-of-subjects',
  (k, p: { accountId: string; subjects: readonly string[] }, engine) =>
    k
      .selectFrom('channel_subscriptions as s')
      .innerJoin('alert_channels as c', 'c.id', 's.channel_id')
      .select([
        's.subject',
        's.activated',
        'c.id as channel_id',
        'c.type',
        'c.version',
        'c.doc',
        'c.sealed_config',
      ])
      .where('s.account_id', '=', p.accountId)
      .where('s.subject', 'in', engine.textList(p.subjects))
      .orderBy('c.id'),
)

/** The same without the channels: of many subjects most have the same few. */
export const subscriptionsOfSubjects = query(
  'subscriptions-of-subjects',
  (k, p: { accountId: string; subjects: readonly string[] }, engine) =>
    k
      .selectFrom('channel_subscriptions')
      .select(['subject', 'activated', 'channel_id'])
      .where('account_id', '=', p.accountId)
      .where('subject', 'in', engine.textList(p.subjects)),
)

/** The same for one subject and in no order: SQLite sorts even one row, and takes as long for it as for the rest. */
export const channelsOfSubject = query('channels-of-subject', (k, p: Subject) =>
  k
    .selectFrom('channel_subscriptions as s')
    .innerJoin('alert_channels as c', 'c.id', 's.channel_id')
    .select(['s.activated', 'c.id as channel_id', 'c.type', 'c.version', 'c.sealed_config'])
    .where('s.account_id', '=', p.accountId)
    .where('s.subject', '=', p.subject),
)

type OfChannel = Pick<ChannelSubscriptionsTable, 'id' | 'channel_id' | 'check_id' | 'group_id' | 'activated'>

export const subscriptionsOfChannels = (db: Db, channelIds: number[]): Promise<OfChannel[]> =>
  channelIds.length === 0
    ? Promise.resolve([])
    : db.select((k) =>
        k
          .selectFrom('channel_subscriptions')
          .select(['id', 'channel_id', 'check_id', 'group_id', 'activated'])
          .where('channel_id', 'in', channelIds)
          .orderBy('id'),
      )
