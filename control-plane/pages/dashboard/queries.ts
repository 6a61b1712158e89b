/** What the dashboard reads that no answer of the API has in one: all of it bounded, and never by counting results. */
import { sql } from 'kysely'
import { query } from '../../platform/store/database/query.ts'

/** A row per state: of ten thousand checks one walk of an index. */
export const countStates = query('count-states', (k, p: { accountId: string }) =>
  k
    .selectFrom('check_statuses')
    .select(['state', (at) => at.fn.countAll<number>().as('total')])
    .where('account_id', '=', p.accountId)
    .groupBy('state'),
)

export const countAllChecks = query('count-all-checks', (k, p: { accountId: string }) =>
  k
    .selectFrom('checks')
    .select((at) => at.fn.countAll<number>().as('total'))
    .where('account_id', '=', p.accountId),
)

/** Those that are paused are few, and have an index of their own. A row per state that they were in; null: none. */
export const countPaused = query('count-paused', (k, p: { accountId: string }) =>
  k
    .selectFrom('checks as c')
    .leftJoin('check_statuses as s', 's.check_id', 'c.id')
    .select(['s.state', (at) => at.fn.countAll<number>().as('total')])
    .where('c.account_id', '=', p.accountId)
    .where(sql<boolean>`c.activated = 0`)
    .groupBy('s.state'),
)

/** Of those that run; as many as are counted, and no more are read. */
export const countFailing = query('count-failing', (k, p: { accountId: string; atMost: number }) =>
  k
    .selectFrom(
      k
        .selectFrom('check_statuses as s')
        .innerJoin('checks as c', 'c.id', 's.check_id')
        .select('s.check_id')
        .where('s.account_id', '=', p.accountId)
        .where('s.state', '=', 'failing')
        .where('c.activated', '=', true)
        .limit(p.atMost)
        .as('failing'),
    )
    .select((at) => at.fn.countAll<number>().as('total')),
)

/** The latest first. */
export const checksInState = query(
  'checks-in-state',
  (k, p: { accountId: string; state: string; limit: number }) =>
    k
      .selectFrom('check_statuses as s')
      .innerJoin('checks as c', 'c.id', 's.check_id')
      .select(['c.id', 'c.name', 'c.type', 's.last_started_at', 's.last_run_location'])
      .where('s.account_id', '=', p.accountId)
      .where('s.state', '=', p.state)
      .where('c.activated', '=', true)
      .orderBy('s.last_started_at', 'desc')
      .orderBy('c.id')
      .limit(p.limit),
)

export const alertStatesOf = query('alert-states-of', (k, p: { checkIds: readonly string[] }, engine) =>
  k
    .selectFrom('alert_states')
    .select(['check_id', 'doc'])
    .where('check_id', 'in', engine.textList(p.checkIds)),
)

/** Kinds of channels that are told of a check, by its own subscription before that of its group. */
export const channelsOfChecks = query(
  'channels-of-checks',
  (k, p: { accountId: string; checkIds: readonly string[] }, engine) =>
    k
      .selectFrom('checks as c')
      .innerJoin('channel_subscriptions as s', (join) =>
        join
          .onRef('s.account_id', '=', 'c.account_id')
          .on(sql<boolean>`s.subject in ('check:' || c.id, 'group:' || c.group_id)`),
      )
      .innerJoin('alert_channels as channel', 'channel.id', 's.channel_id')
      .select(['c.id as check_id', 'channel.type'])
      .distinct()
      .where('c.account_id', '=', p.accountId)
      .where('c.id', 'in', engine.textList(p.checkIds))
      .where('s.activated', '=', true)
      .where(
        sql<boolean>`(s.check_id is not null or not exists (
          select 1 from channel_subscriptions own
          where own.channel_id = s.channel_id and own.subject = 'check:' || c.id))`,
      ),
)

/** Ids grow with time: the newest sessions first. `claimed`: one of the agents that have a run of it now. */
export const latestSessions = query('latest-sessions', (k, p: { accountId: string; limit: number }) =>
  k
    .selectFrom('check_sessions as s')
    .select(['s.id', 's.check_id', 's.check_type', 's.name', 's.status', 's.started_at', 's.stopped_at'])
    .select((at) =>
      at
        .selectFrom('jobs as j')
        .select((job) => job.fn.min<string>('j.agent_id').as('agent_id'))
        .whereRef('j.check_id', '=', 's.check_id')
        .whereRef('j.session_id', '=', 's.id')
        .as('claimed'),
    )
    .where('s.account_id', '=', p.accountId)
    .where('s.is_test', '=', false)
    .orderBy('s.id', 'desc')
    .limit(p.limit),
)

/** Checks and groups that subscribe to a channel, in the order in which they did. */
export const subscribersByName = query(
  'subscribers-by-name',
  (k, p: { accountId: string; channelId: number; limit: number }) =>
    k
      .selectFrom('channel_subscriptions as s')
      .leftJoin('checks as c', 'c.id', 's.check_id')
      .leftJoin('check_groups as g', 'g.id', 's.group_id')
      .select(['s.check_id', 'c.name as check_name', 's.group_id', 'g.name as group_name', 's.activated'])
      .where('s.account_id', '=', p.accountId)
      .where('s.channel_id', '=', p.channelId)
      .orderBy('s.id')
      .limit(p.limit),
)

/** Channels through which no check is told of, oldest first. */
export const silentChannels = query('silent-channels', (k, p: { accountId: string; limit: number }) =>
  k
    .selectFrom('alert_channels as c')
    .select('c.id')
    .where('c.account_id', '=', p.accountId)
    .where((at) =>
      at.not(
        at.exists(
          at
            .selectFrom('channel_subscriptions as s')
            .select('s.id')
            .whereRef('s.channel_id', '=', 'c.id')
            .where('s.activated', '=', true),
        ),
      ),
    )
    .orderBy('c.id')
    .limit(p.limit),
)

/** Of an account's own checks only; those that are gone have no name. */
export const namesOfChecks = query(
  'names-of-checks',
  (k, p: { accountId: string; checkIds: readonly string[] }, engine) =>
    k
      .selectFrom('checks')
      .select(['id', 'name'])
      .where('id', 'in', engine.textList(p.checkIds))
      .where('account_id', '=', p.accountId),
)

/** Those of them in which an agent was seen since then. */
export const locationsWithAgents = query(
  'locations-with-agents',
  (k, p: { locationIds: readonly string[]; since: number }, engine) =>
    k
      .selectFrom('agents')
      .select('location_id')
      .distinct()
      .where('location_id', 'in', engine.textList(p.locationIds))
      .where('last_seen_at', '>=', p.since),
)

/** As many as an account may show in one tree. */
export const namesOfGroups = query('names-of-groups', (k, p: { accountId: string; limit: number }) =>
  k
    .selectFrom('check_groups')
    .select(['id', 'name'])
    .where('account_id', '=', p.accountId)
    .orderBy('id')
    .limit(p.limit),
)

/** `doc` of the publication; null where nothing of it was ever set. */
export const languagesOfPages = query('languages-of-pages', (k, p: { accountId: string }) =>
  k
    .selectFrom('status_pages as page')
    .leftJoin('status_page_publications as publication', 'publication.status_page_id', 'page.id')
    .select(['page.id', 'publication.doc'])
    .where('page.account_id', '=', p.accountId)
    .orderBy('page.created_at')
    .orderBy('page.id'),
)

export const nameOfGroup = query('name-of-group', (k, p: { accountId: string; id: number }) =>
  k
    .selectFrom('check_groups')
    .select(['id', 'name'])
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId),
)
