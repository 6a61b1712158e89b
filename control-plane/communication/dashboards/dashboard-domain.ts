/** A dashboard is shown under a domain when the DNS of that domain says so, as status pages are (domain-proof.ts). */
import type { App } from '../../platform/app/app.ts'
import type { HasDomainRecords } from '../../platform/services/outgoing/domain-records.ts'
import type { DashboardsTable } from '../../platform/store/database/tables/dashboards.ts'
import { domainCheckTimes, isSeen, proofLastsMs } from '../status-pages/domain-proof.ts'
import { dashboardDomainsToCheck, noteDomain } from './queries.ts'

export const isDomainProven = (
  { custom_domain, domain_seen_at }: Pick<DashboardsTable, 'custom_domain' | 'domain_seen_at'>,
  now: number,
): boolean => custom_domain !== null && domain_seen_at !== null && domain_seen_at >= now - proofLastsMs

/** The loop that looks for proofs. */
export const dashboardDomainTick = async (app: App & HasDomainRecords): Promise<void> => {
  for (const row of await app.db.all(dashboardDomainsToCheck, domainCheckTimes(app.clock.now()))) {
    const { custom_domain: domain, dashboard_id: dashboardId } = row
    if (domain === null) continue
    const seen = await isSeen(app, dashboardId, domain)
    const now = app.clock.now()
    await app.db.run(noteDomain, { dashboardId, domain, seenAt: seen ? now : null, checkedAt: now })
  }
}
