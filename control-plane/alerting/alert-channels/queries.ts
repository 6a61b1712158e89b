/** All SQL about alert channels. `sealed_config` goes in and comes out sealed (channel-row.ts). */
import type { Db } from '../../platform/database/db.ts'
import { query } from '../../platform/database/query.ts'
import type { AlertChannelsTable } from '../../platform/database/tables/alert-channels.ts'

type OneChannel = { id: number; accountId: string }

export const findChannel = query('find-alert-channel', (k, p: OneChannel) =>
  k.selectFrom('alert_channels').selectAll().where('id', '=', p.id).where('account_id', '=', p.accountId),
)

/** For a change that builds on what is there: nobody else changes the row until the transaction ends. */
export const lockChannel = query('lock-alert-channel', (k, p: OneChannel, engine) => {
  const one = k
    .selectFrom('alert_channels')
    .selectAll()
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId)
  return engine.rowLocks ? one.forUpdate() : one
})

type Page = { accountId: string; limit: number; offset: number }

/** Oldest first: a channel keeps its place. */
export const listChannels = query('list-alert-channels', (k, p: Page) =>
  k
    .selectFrom('alert_channels')
    .selectAll()
    .where('account_id', '=', p.accountId)
    .orderBy('id')
    .limit(p.limit)
    .offset(p.offset),
)

const count = query('count-alert-channels', (k, p: { accountId: string }) =>
  k
    .selectFrom('alert_channels')
    .select((at) => at.fn.countAll<number>().as('total'))
    .where('account_id', '=', p.accountId),
)

export const countChannels = async (db: Db, accountId: string): Promise<number> =>
  (await db.get(count, { accountId }))?.total ?? 0

export const insertChannel = query('insert-alert-channel', (k, p: AlertChannelsTable) =>
  k.insertInto('alert_channels').values({
    id: p.id,
    account_id: p.account_id,
    type: p.type,
    auto_subscribe: p.auto_subscribe,
    created_at: p.created_at,
    updated_at: p.updated_at,
    version: p.version,
    doc: p.doc,
    sealed_config: p.sealed_config,
  }),
)

export const updateChannel = query('update-alert-channel', (k, p: AlertChannelsTable) =>
  k
    .updateTable('alert_channels')
    .set({
      type: p.type,
      auto_subscribe: p.auto_subscribe,
      updated_at: p.updated_at,
      version: p.version,
      doc: p.doc,
      sealed_config: p.sealed_config,
    })
    .where('id', '=', p.id)
    .where('account_id', '=', p.account_id),
)

export const deleteChannel = query('delete-alert-channel', (k, p: OneChannel) =>
  k.deleteFrom('alert_channels').where('id', '=', p.id).where('account_id', '=', p.accountId),
)
