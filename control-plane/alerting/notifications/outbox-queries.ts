/**
 * All SQL about the outbox: notifications whose `due_at` is set. Of a check and channel only the earliest waiting one is
 * ever claimed, so that a recovery never overtakes the failure before it.
 */

import { type Kysely, sql } from 'kysely'
import type { Db } from '../../platform/store/database/db.ts'
import { integer, text } from '../../platform/store/database/ddl.ts'
import { freeRows } from '../../platform/store/database/free-rows.ts'
import { query } from '../../platform/store/database/query.ts'
import { rowStatement } from '../../platform/store/database/row-statement.ts'
import type {
  AlertChannelsTable,
  AlertNotificationsTable,
} from '../../platform/store/database/tables/alert-channels.ts'
import type { Tables } from '../../platform/store/database/tables.ts'

const channelsById = query('channels-to-notify', (k, p: { ids: readonly { listed: number }[] }, engine) =>
  k
    .selectFrom(engine.rowList(p.ids, { listed: integer }).$castTo<{ listed: number }>().as('l'))
    .innerJoin('alert_channels as c', 'c.id', 'l.listed')
    .select(['c.id', 'c.account_id', 'c.type', 'c.doc']),
)

type ChannelToNotify = Pick<AlertChannelsTable, 'id' | 'account_id' | 'type' | 'doc'>

export const channelsToNotify = async (db: Db, ids: readonly number[]): Promise<ChannelToNotify[]> =>
  ids.length === 0 ? [] : db.all(channelsById, { ids: ids.map((listed) => ({ listed })) })

export const channelsToTellOfLocations = query(
  'channels-to-tell-of-locations',
  (k, p: { accountId: string }) =>
    k
      .selectFrom('alert_channels')
      .select(['id', 'account_id', 'type', 'doc'])
      .where('account_id', '=', p.accountId)
      .orderBy('id'),
)

type Line = { listed_channel: number; listed_check: string }

/** The last place in each line of notifications that wait for the same check and channel; empty lines are left out. */
export const lastInLines = query('last-in-notification-lines', (k, p: { lines: readonly Line[] }, engine) =>
  k
    .selectFrom(
      engine.rowList(p.lines, { listed_channel: integer, listed_check: text }).$castTo<Line>().as('listed'),
    )
    .innerJoin('alert_notifications as o', (join) =>
      join
        .onRef('o.channel_id', '=', 'listed.listed_channel')
        .onRef('o.check_id', '=', 'listed.listed_check'),
    )
    .select(['o.channel_id', 'o.check_id'])
    .select((at) => at.fn.max<number>('o.sequence').as('sequence'))
    .where('o.due_at', 'is not', null)
    .groupBy(['o.channel_id', 'o.check_id']),
)

type NewNotification = Omit<
  AlertNotificationsTable,
  'sent_at' | 'bundle_id' | 'claimed_until' | 'claims' | 'tries'
>

export const notificationRows = rowStatement({
  name: 'queue-notification',
  table: 'alert_notifications',
  valuesOf: (p: NewNotification) => ({
    id: p.id,
    account_id: p.account_id,
    channel_id: p.channel_id,
    type: p.type,
    check_id: p.check_id,
    check_type: p.check_type,
    check_alert_id: p.check_alert_id,
    check_result_id: p.check_result_id,
    status: p.status,
    sent_at: null,
    created_at: p.created_at,
    due_at: p.due_at,
    held: p.held,
    gather: p.gather,
    bundle_id: null,
    claimed_until: 0,
    claims: 0,
    tries: 0,
    sequence: p.sequence,
    event: p.event,
    doc: p.doc,
  }),
})

type QueuedNotification = Pick<
  AlertNotificationsTable,
  'id' | 'account_id' | 'channel_id' | 'type' | 'gather'
>

/** What takes no more at the moment. */
export type SaturatedTargets = { channels: number[]; accounts: string[]; types: string[] }

type DueWindow = { now: number; limit: number }

const mayBeSent = (k: Kysely<Tables>, { now, limit }: DueWindow) =>
  k
    .selectFrom('alert_notifications as n')
    .select(['n.id', 'n.account_id', 'n.channel_id', 'n.type', 'n.gather'])
    .where('n.due_at', 'is not', null)
    // Of a message that names many its leader stands for all.
    .where((at) => at.or([at('n.bundle_id', 'is', null), at('n.bundle_id', '=', at.ref('n.id'))]))
    .where('n.due_at', '<=', now)
    .where('n.claimed_until', '<=', now)
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('alert_notifications as o')
            .select('o.id')
            .where('o.due_at', 'is not', null)
            .whereRef('o.channel_id', '=', 'n.channel_id')
            .whereRef('o.check_id', '=', 'n.check_id')
            .whereRef('o.sequence', '<', 'n.sequence')
            // A certificate that waits for the hours of its channel holds up nobody.
            .where((at) => at.or([at('o.held', 'is', null), at('o.held', '<>', 'ALONE')])),
        ),
      ),
    )
    .orderBy('n.due_at')
    .orderBy('n.id')
    .limit(limit)

/** Asked for all the time, and mostly while nothing is busy: then it is prepared. */
const waitingWhileFree = query('waiting-notifications', (k, p: DueWindow) => mayBeSent(k, p))

/** What may be sent now, longest due first, but for what is busy. */
export const waitingNotifications = (
  db: Db,
  { now, busy, limit }: DueWindow & { busy: SaturatedTargets },
): Promise<QueuedNotification[]> => {
  const { channels, accounts, types } = busy
  if (channels.length + accounts.length + types.length === 0) return db.all(waitingWhileFree, { now, limit })
  return db.select((k) => {
    let waiting = mayBeSent(k, { now, limit })
    if (channels.length > 0) waiting = waiting.where('n.channel_id', 'not in', channels)
    if (accounts.length > 0) waiting = waiting.where('n.account_id', 'not in', accounts)
    if (types.length > 0) waiting = waiting.where('n.type', 'not in', types)
    return waiting
  })
}

const never = Number.MAX_SAFE_INTEGER

type Claim = { ids: readonly string[]; now: number; until: number }

/** Only those that nobody else has taken meanwhile. */
export const claimNotifications = query('claim-notifications', (k, p: Claim, engine) => {
  const free = k
    .selectFrom('alert_notifications')
    .select('id')
    .where('id', 'in', engine.textList(p.ids))
    // Not the bare column: SQLite would walk through all that is due instead of looking up these few.
    .where((where) => where(where.fn.coalesce('due_at', where.val(never)), '<=', p.now))
    .where('claimed_until', '<=', p.now)
  return k
    .updateTable('alert_notifications')
    .set((at) => ({ claimed_until: p.until, claims: at('claims', '+', 1) }))
    .where('id', 'in', freeRows(engine, free))
    .returningAll()
})

/** `ids`: of claims that are still worked on. */
export const renewClaims = query('renew-notification-claims', (k, p: Claim, engine) =>
  k
    .updateTable('alert_notifications')
    .set({ claimed_until: p.until })
    .where('id', 'in', engine.textList(p.ids))
    .where('claimed_until', '>', p.now),
)

/** Of whoever had them; they are not told apart from those that ended by themselves. */
export const endNotificationClaims = query('end-notification-claims', (k, p: { now: number }) =>
  k
    .updateTable('alert_notifications')
    .set({ claimed_until: p.now })
    .where('due_at', 'is not', null)
    .where('claimed_until', '>', p.now),
)

export type DeliveryOutcome = {
  id: string
  claims: number
  status: string
  tries: number
  dueAt: number | null
  sentAt: number
  doc: string
}

export const settledAs = ({ status, tries, dueAt, sentAt, doc }: Omit<DeliveryOutcome, 'id' | 'claims'>) => ({
  status,
  tries,
  due_at: dueAt,
  sent_at: sentAt,
  claimed_until: 0,
  doc,
})

/** Ends a claim; nothing changes when somebody else has claimed it since. */
export const settleNotification = query('settle-notification', (k, p: DeliveryOutcome) =>
  k
    .updateTable('alert_notifications')
    .set(settledAs(p))
    .where('id', '=', p.id)
    .where('claims', '=', p.claims)
    .where('due_at', 'is not', null),
)

type Postponement = { channelId: number; until: number; now: number }

/** A receiver that asked for a pause is left alone by all that waits for it. */
export const postponeChannel = query('postpone-notifications-of-channel', (k, p: Postponement) =>
  k
    .updateTable('alert_notifications')
    .set({ due_at: p.until, status: 'RATE_LIMITED' })
    .where('channel_id', '=', p.channelId)
    .where('due_at', 'is not', null)
    .where('due_at', '<', p.until)
    .where('claimed_until', '<=', p.now),
)

type OneNotification = { id: string; accountId: string }

export const findNotification = query('find-alert-notification', (k, p: OneNotification) =>
  k
    .selectFrom('alert_notifications')
    .selectAll()
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId),
)

/** A finished one goes to the end of its queue again, with all its tries. */
const nextSequence = sql<number>`coalesce(max(sequence), 0) + 1`

export const requeueNotification = query(
  'requeue-notification',
  (k, p: OneNotification & { channelId: number; checkId: string; now: number }) =>
    k
      .updateTable('alert_notifications')
      .set((at) => ({
        status: 'IN_PROGRESS',
        due_at: p.now,
        held: null,
        gather: null,
        bundle_id: null,
        claimed_until: 0,
        tries: 0,
        sequence: at
          .selectFrom('alert_notifications as o')
          .select(nextSequence.as('next'))
          .where('o.due_at', 'is not', null)
          .where('o.channel_id', '=', p.channelId)
          .where('o.check_id', '=', p.checkId),
      }))
      .where('id', '=', p.id)
      .where('account_id', '=', p.accountId)
      .where('due_at', 'is', null),
)

/** Newest first. */
export const latestOfChannel = query('latest-of-channel', (k, p: { channelId: number; limit: number }) =>
  k
    .selectFrom('alert_notifications')
    .select(['id', 'status', 'tries', 'created_at', 'doc'])
    .where('channel_id', '=', p.channelId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(p.limit),
)

/** Not one that is being sent again. */
export const deleteDeadLetter = query('delete-dead-letter', (k, p: { id: string }) =>
  k
    .deleteFrom('alert_notifications')
    .where('id', '=', p.id)
    .where('status', '=', 'FAILURE')
    .where('due_at', 'is', null),
)

/** How many wait, and since when the longest does; what waits for the hours of its channel, or for others, is none of them. */
export const outboxDepth = query('outbox-depth', (k, _: Record<string, never>) =>
  k
    .selectFrom('alert_notifications')
    .select((at) => [at.fn.countAll<number>().as('depth'), at.fn.min('created_at').as('oldest_at')])
    .where('due_at', 'is not', null)
    .where('held', 'is', null)
    .where((at) => at.or([at('gather', 'is', null), at('claims', '>', 0)])),
)
