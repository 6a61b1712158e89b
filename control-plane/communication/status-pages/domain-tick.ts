/** The loop that looks for proofs of the domains of status pages. */

import type { App } from '../../platform/app/app.ts'
import type { HasDomainRecords } from '../../platform/services/outgoing/domain-records.ts'
import { findPage } from '../stored-pages/queries.ts'
import { checkDomain, domainCheckTimes } from './domain-proof.ts'
import { domainsToCheck } from './publication-queries.ts'

export const domainTick = async (app: App & HasDomainRecords): Promise<void> => {
  const times = domainCheckTimes(app.clock.now())
  for (const { id, account_id: accountId } of await app.db.all(domainsToCheck, times)) {
    const page = await app.db.get(findPage, { id, accountId })
    if (page !== undefined) await checkDomain(app, page)
  }
}
