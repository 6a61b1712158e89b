/** The loop that looks for proofs of domains: soon where one is missing, now and then where it was seen. */

import type { App } from '../../platform/app/app.ts'
import type { HasDomainRecords } from '../../platform/services/outgoing/domain-records.ts'
import { findPage } from '../stored-pages/queries.ts'
import { checkDomain } from './domain-proof.ts'
import { domainsToCheck } from './publication-queries.ts'

const newEveryMs = 5 * 60_000
const provenEveryMs = 6 * 3_600_000
/** Names are asked one after the other: one that hangs takes seconds. */
const atOnce = 20

export const domainTick = async (app: App & HasDomainRecords): Promise<void> => {
  const now = app.clock.now()
  const times = { newBefore: now - newEveryMs, provenBefore: now - provenEveryMs, limit: atOnce }
  for (const { id, account_id: accountId } of await app.db.all(domainsToCheck, times)) {
    const page = await app.db.get(findPage, { id, accountId })
    if (page !== undefined) await checkDomain(app, page)
  }
}
