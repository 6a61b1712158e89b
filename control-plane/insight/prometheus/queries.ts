/** All SQL of the exporter. What is read at a scrape is the heads of checks, in slices; documents only of those that changed. */

import { query } from '../../platform/store/database/query.ts'

export const headsPerSlice = 250

type HeadSlice = { accountId: string; createdAt: number; afterId: string; limit: number }

/** In the order of their creation, behind the place that is named. */
export const checkHeads = query('exporter-check-heads', (k, p: HeadSlice) =>
  k
    .selectFrom('checks as c')
    .leftJoin('check_statuses as s', 's.check_id', 'c.id')
    .leftJoin('heartbeats as h', 'h.check_id', 'c.id')
    .leftJoin('certificate_looks as l', 'l.check_id', 'c.id')
    .select([
      'c.id',
      'c.type',
      'c.version',
      'c.group_id',
      'c.created_at',
      's.state',
      's.stale_since',
      'h.last_ping_at',
      'h.period_ms',
      'l.domain',
      'l.expires_at',
    ])
    .where('c.account_id', '=', p.accountId)
    .where('c.created_at', '>=', p.createdAt)
    .where((of) => of.or([of('c.created_at', '>', p.createdAt), of('c.id', '>', p.afterId)]))
    .orderBy('c.created_at')
    .orderBy('c.id')
    .limit(p.limit),
)

export const checkDocs = query('exporter-check-docs', (k, p: { ids: readonly string[] }, engine) =>
  k.selectFrom('checks').select(['id', 'type', 'name', 'doc']).where('id', 'in', engine.textList(p.ids)),
)

export const groupHeads = query('exporter-groups', (k, p: { accountId: string }) =>
  k.selectFrom('check_groups').select(['id', 'name', 'version', 'doc']).where('account_id', '=', p.accountId),
)

/** Due runs of each private location by whether an agent has them. */
export const locationLevels = query('exporter-location-levels', (k, p: { accountId: string; now: number }) =>
  k
    .selectFrom('private_locations as l')
    .leftJoin('jobs as j', (join) => join.onRef('j.location', '=', 'l.id').on('j.due_at', '<=', p.now))
    .select((of) => [
      'l.id',
      'l.slug',
      'l.name',
      of.fn.count<number>(of.case().when('j.agent_id', 'is', null).then(of.ref('j.id')).end()).as('queued'),
      of.fn.count<number>('j.agent_id').as('inflight'),
      of.fn
        .min<number | null>(of.case().when('j.agent_id', 'is', null).then(of.ref('j.due_at')).end())
        .as('oldest_due_at'),
    ])
    .where('l.account_id', '=', p.accountId)
    .groupBy(['l.id', 'l.slug', 'l.name']),
)

export const agentCounts = query('exporter-agent-counts', (k, p: { accountId: string; since: number }) =>
  k
    .selectFrom('private_locations as l')
    .innerJoin('agents as a', 'a.location_id', 'l.id')
    .select((of) => ['l.id', of.fn.count<number>('a.agent_id').as('agents')])
    .where('l.account_id', '=', p.accountId)
    .where('a.last_seen_at', '>', p.since)
    .groupBy('l.id'),
)
