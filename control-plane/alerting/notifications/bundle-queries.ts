/**
 * All SQL about messages that name many. `gather` of a notification says what it is told together with; `bundle_id` is set when the
 * message leaves for the first time: the id of the notification that leads it, whose claim holds for all. From then on the message
 * has the same members, whatever comes in.
 */
import { sql } from 'kysely'
import { integer, text } from '../../platform/store/database/ddl.ts'
import { freeRows } from '../../platform/store/database/free-rows.ts'
import { query } from '../../platform/store/database/query.ts'
import { type DeliveryOutcome, settledAs } from './outbox-queries.ts'

type Recent = { accountId: string; since: number; limit: number }

/** First alerts of failures, newest first. */
export const recentOpenings = query('recent-openings', (k, p: Recent) =>
  k
    .selectFrom('check_alerts')
    .select(['check_id', 'opening_host', 'opening_location'])
    .where('account_id', '=', p.accountId)
    .where('created_at', '>=', p.since)
    .where('opening_host', 'is not', null)
    .orderBy('created_at', 'desc')
    .limit(p.limit),
)

/** With what the same are told. */
export const gathersOfOpenings = query('gathers-of-openings', (k, p: Recent) =>
  k
    .selectFrom(
      k
        .selectFrom('check_alerts')
        .select(['id', 'check_id'])
        .where('account_id', '=', p.accountId)
        .where('created_at', '>=', p.since)
        .where('opening_host', 'is not', null)
        .orderBy('created_at', 'desc')
        .limit(p.limit)
        .as('a'),
    )
    .innerJoin('alert_notifications as n', (join) =>
      join.onRef('n.check_id', '=', 'a.check_id').onRef('n.check_alert_id', '=', 'a.id'),
    )
    .select('n.gather')
    .distinct()
    .where('n.gather', 'is not', null)
    .$narrowType<{ gather: string }>(),
)

/** Counted up to `limit`. */
export const countActiveChecks = query('count-active-checks', (k, p: { accountId: string; limit: number }) =>
  k
    .selectFrom(
      k
        .selectFrom('checks')
        .select('id')
        .where('account_id', '=', p.accountId)
        .where('activated', '=', true)
        .limit(p.limit)
        .as('c'),
    )
    .select((at) => at.fn.countAll<number>().as('total')),
)

type Line = { listed_channel: number; listed_check: string; since: number }

/** With what the failure of each check was told in each channel; of one that was told alone nothing is found. */
export const gathersOfLines = query('gathers-of-lines', (k, p: { lines: readonly Line[] }, engine) =>
  k
    .selectFrom(
      engine
        .rowList(p.lines, { listed_channel: integer, listed_check: text, since: integer })
        .$castTo<Line>()
        .as('l'),
    )
    .innerJoin('alert_notifications as n', (join) =>
      join
        .onRef('n.check_id', '=', 'l.listed_check')
        .onRef('n.channel_id', '=', 'l.listed_channel')
        .onRef('n.created_at', '>=', 'l.since')
        .on('n.gather', 'is not', null),
    )
    .select(['n.channel_id', 'n.check_id'])
    .select((at) => at.fn.max<string>('n.gather').as('gather'))
    .groupBy(['n.channel_id', 'n.check_id']),
)

type Asked = { listed_channel: number; listed_gather: string; since: number }

/** Since an instant: when what waits is due, and when the last message left (or will have, where it is on its way). */
export const coursesOf = query('courses-of-gathers', (k, p: { asked: readonly Asked[] }, engine) =>
  k
    .selectFrom(
      engine
        .rowList(p.asked, { listed_channel: integer, listed_gather: text, since: integer })
        .$castTo<Asked>()
        .as('l'),
    )
    .innerJoin('alert_notifications as n', (join) =>
      join
        .onRef('n.channel_id', '=', 'l.listed_channel')
        .onRef('n.gather', '=', 'l.listed_gather')
        .onRef('n.created_at', '>=', 'l.since'),
    )
    .select(['n.channel_id', 'n.gather'])
    .select([
      sql<
        number | null
      >`min(case when n.due_at is not null and n.claims = 0 and n.held is null then n.due_at end)`.as(
        'waiting_until',
      ),
      sql<number | null>`max(case when n.claims > 0 then coalesce(n.sent_at, n.claimed_until) end)`.as(
        'last_at',
      ),
    ])
    .groupBy(['n.channel_id', 'n.gather']),
)

type Joined = { checkIds: readonly string[]; gather: string; dueAt: number; now: number }

/** Suspects that waited to see whether others follow. */
export const joinWaiting = query('join-waiting-notifications', (k, p: Joined, engine) =>
  k
    .updateTable('alert_notifications')
    .set({ gather: p.gather, due_at: p.dueAt })
    .where('check_id', 'in', engine.textList(p.checkIds))
    .where('due_at', '>', p.now)
    .where('claims', '=', 0)
    .where('gather', 'is', null)
    .where('held', 'is', null)
    .where('status', '=', 'IN_PROGRESS'),
)

type Claim = { leader: string; channelId: number; gather: string; now: number; until: number }

/** One message names so many at most. */
const mostMembers = 2000

/** All that waits to be told with the leader, but for what is behind something else of its line. */
export const claimGathered = query('claim-gathered-notifications', (k, p: Claim, engine) => {
  const free = k
    .selectFrom('alert_notifications as n')
    .select('n.id')
    .where('n.channel_id', '=', p.channelId)
    .where('n.gather', '=', p.gather)
    .where('n.due_at', 'is not', null)
    .where('n.bundle_id', 'is', null)
    .where('n.claims', '=', 0)
    .where((at) => at.or([at('n.held', 'is', null), at('n.due_at', '<=', p.now)]))
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
            .where('o.id', '<>', p.leader)
            .where((at) =>
              at.or([
                at('o.gather', 'is', null),
                at('o.gather', '<>', at.ref('n.gather')),
                at('o.claims', '>', 0),
              ]),
            ),
        ),
      ),
    )
    .orderBy('n.due_at')
    .orderBy('n.id')
    .limit(mostMembers)
  return k
    .updateTable('alert_notifications')
    .set((at) => ({ bundle_id: p.leader, claimed_until: p.until, claims: at('claims', '+', 1) }))
    .where('id', 'in', freeRows(engine, free, 'n'))
    .returningAll()
})

export const leadBundle = query('lead-bundle', (k, p: { leader: string }) =>
  k.updateTable('alert_notifications').set({ bundle_id: p.leader }).where('id', '=', p.leader),
)

/** Beside the one that leads them. */
export const membersOfBundle = query('members-of-bundle', (k, p: { leader: string }) =>
  k
    .selectFrom('alert_notifications')
    .selectAll()
    .where('bundle_id', '=', p.leader)
    .where('id', '<>', p.leader)
    .where('due_at', 'is not', null)
    .orderBy('id'),
)

type Outcome = Omit<DeliveryOutcome, 'id' | 'claims'> & { leader: string }

/** As the one that leads them. */
export const settleMembers = query('settle-members', (k, p: Outcome) =>
  k
    .updateTable('alert_notifications')
    .set(settledAs(p))
    .where('bundle_id', '=', p.leader)
    .where('id', '<>', p.leader)
    .where('due_at', 'is not', null),
)

export const deleteMembers = query('delete-members-of-bundle', (k, p: { leader: string }) =>
  k.deleteFrom('alert_notifications').where('bundle_id', '=', p.leader).where('id', '<>', p.leader),
)

/** Checks that were told of under this and are not well, and that nothing else was told of since. */
export const stillFailing = query('still-failing-of-gather', (k, p: { channelId: number; gather: string }) =>
  k
    .selectFrom('alert_notifications as n')
    .innerJoin('alert_states as s', 's.check_id', 'n.check_id')
    .select((at) => at.fn.count<number>('n.check_id').distinct().as('total'))
    .where('n.channel_id', '=', p.channelId)
    .where('n.gather', '=', p.gather)
    .where('s.level', '<>', 'passing')
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('alert_notifications as o')
            .select('o.id')
            .whereRef('o.check_id', '=', 'n.check_id')
            // Not by an index: SQLite would take the channel's, and look at all that it was told since for each check.
            .where(sql<number>`o.channel_id + 0`, '=', where.ref('n.channel_id'))
            .whereRef('o.created_at', '>', 'n.created_at')
            .where((at) => at.or([at('o.gather', 'is', null), at('o.gather', '<>', at.ref('n.gather'))])),
        ),
      ),
    ),
)
