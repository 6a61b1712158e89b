/** All SQL about alert channels. `sealed_config` goes in and comes out sealed (channel-row.ts). */
import type { Db } from '../../platform/store/database/db.ts'
import { documentQueries } from '../../platform/store/database/document-queries.ts'
import type { Engine } from '../../platform/store/database/engines.ts'
import { hasText } from '../../platform/store/database/has-text.ts'
import { query } from '../../platform/store/database/query.ts'
import type { AlertChannelsTable } from '../../platform/store/database/tables/alert-channels.ts'

export const {
  find: findChannel,
  lock: lockChannel,
  insert: insertChannel,
  update: updateChannel,
  remove: deleteChannel,
} = documentQueries('alert_channels', {
  name: 'alert-channel',
  key: 'id',
  columns: {
    type: 'changes',
    auto_subscribe: 'changes',
    created_at: 'stays',
    updated_at: 'changes',
    version: 'changes',
    doc: 'changes',
    sealed_config: 'changes',
  },
})

type Filter = {
  accountId: string
  /** Part of the type or of what the channel is known by, in any case. */
  search?: string | undefined
}

/** Of the document, which has the settings without their secrets. */
const known = ['name', 'address', 'number', 'url', 'account', 'serviceName', 'channel', 'slackChannels']
const searchable = { columns: ['type'], paths: known.map((name) => `config.${name}`) }

/** Oldest first: a channel keeps its place. */
export const listChannels = (
  db: Db,
  filter: Filter,
  { limit, offset }: { limit: number; offset: number },
): Promise<AlertChannelsTable[]> =>
  db.select((k, engine) => filtered(k, engine, filter).selectAll().orderBy('id').limit(limit).offset(offset))

export const countChannels = async (db: Db, filter: Filter): Promise<number> => {
  const [row] = await db.select((k, engine) =>
    filtered(k, engine, filter).select((at) => at.fn.countAll<number>().as('total')),
  )
  return row?.total ?? 0
}

type Builder = Parameters<Parameters<Db['select']>[0]>[0]

const filtered = (k: Builder, engine: Engine, { accountId, search }: Filter) => {
  const list = k.selectFrom('alert_channels').where('account_id', '=', accountId)
  return search === undefined ? list : list.where(hasText(engine, searchable, search))
}

/** When the hours of a channel change, what waits for them does so anew. */
export const rescheduleHeld = query('reschedule-held', (k, p: { channelId: number; dueAt: number }) =>
  k
    .updateTable('alert_notifications')
    .set({ due_at: p.dueAt })
    .where('channel_id', '=', p.channelId)
    .where('held', 'is not', null)
    .where('due_at', 'is not', null)
    .where('claims', '=', 0),
)
