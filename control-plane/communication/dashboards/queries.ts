/** All SQL about dashboards. */
import { documentQueries } from '../../platform/store/database/document-queries.ts'
import { query } from '../../platform/store/database/query.ts'

export const {
  page: listDashboards,
  count: countDashboards,
  insert: insertDashboard,
  update: updateDashboard,
  remove: deleteDashboard,
} = documentQueries('dashboards', {
  name: 'dashboard',
  key: 'id',
  columns: {
    dashboard_id: 'stays',
    custom_url: 'changes',
    custom_domain: 'changes',
    domain_seen_at: 'changes',
    domain_checked_at: 'changes',
    key_id: 'changes',
    key_hash: 'changes',
    key_masked: 'changes',
    key_created_at: 'changes',
    created_at: 'stays',
    updated_at: 'changes',
    version: 'changes',
    doc: 'changes',
  },
})

type One = { dashboardId: string; accountId: string }

export const findDashboard = query('find-dashboard-by-address', (k, p: One) =>
  k
    .selectFrom('dashboards')
    .selectAll()
    .where('dashboard_id', '=', p.dashboardId)
    .where('account_id', '=', p.accountId),
)

/** For a change that builds on what is there. */
export const lockDashboard = query('lock-dashboard-by-address', (k, p: One, engine) => {
  const one = k
    .selectFrom('dashboards')
    .selectAll()
    .where('dashboard_id', '=', p.dashboardId)
    .where('account_id', '=', p.accountId)
  return engine.rowLocks ? one.forUpdate() : one
})

/** It stays until the transaction ends. */
export const shareDashboard = query(
  'share-dashboard-by-number',
  (k, p: { id: number; accountId: string }, engine) => {
    const one = k
      .selectFrom('dashboards')
      .select('id')
      .where('id', '=', p.id)
      .where('account_id', '=', p.accountId)
    return engine.rowLocks ? one.forShare() : one
  },
)

/** Whatever account it belongs to: its page is found by its address. */
export const findDashboardByName = query(
  'find-dashboard-by-name',
  (k, p: { kind: 'DASHBOARD' | 'DOMAIN'; name: string }) =>
    k
      .selectFrom('page_names as n')
      .innerJoin('dashboards as d', 'd.dashboard_id', 'n.page_id')
      .selectAll('d')
      .where('n.kind', '=', p.kind)
      .where('n.name', '=', p.name),
)

type DomainCheckTimes = { newBefore: number; provenBefore: number; limit: number }

/** Those whose domain was not looked at for a while, those that were never looked at first. */
export const dashboardDomainsToCheck = query('dashboard-domains-to-check', (k, p: DomainCheckTimes) =>
  k
    .selectFrom('dashboards')
    .selectAll()
    .where('custom_domain', 'is not', null)
    .where((at) =>
      at.or([
        at('domain_checked_at', 'is', null),
        at('domain_checked_at', '<', p.provenBefore),
        at.and([at('domain_seen_at', 'is', null), at('domain_checked_at', '<', p.newBefore)]),
      ]),
    )
    .orderBy('domain_checked_at')
    .limit(p.limit),
)

type Seen = { dashboardId: string; domain: string; seenAt: number | null; checkedAt: number }

/** Only while it has the domain still. */
export const noteDomain = query('note-dashboard-domain', (k, p: Seen) =>
  k
    .updateTable('dashboards')
    .set((at) => ({
      domain_seen_at: at.fn.coalesce(at.cast<number | null>(at.val(p.seenAt), 'bigint'), 'domain_seen_at'),
      domain_checked_at: p.checkedAt,
    }))
    .where('dashboard_id', '=', p.dashboardId)
    .where('custom_domain', '=', p.domain),
)
