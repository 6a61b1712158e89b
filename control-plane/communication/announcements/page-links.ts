/** Where a mail leads to: the page's own domain once that is proven, else its address here. */

import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'
import type { StatusPagesTable } from '../../platform/store/database/tables/status-pages.ts'
import { proofLastsMs } from '../status-pages/domain-proof.ts'

/** When mails are made, and where this installation is. */
export type MailMoment = { now: number; baseUrl: string }

const provenDomains = query('proven-domains', (k, p: { pageIds: readonly string[]; since: number }, engine) =>
  k
    .selectFrom('status_page_publications')
    .select(['status_page_id', 'domain'])
    .where('status_page_id', 'in', engine.textList(p.pageIds))
    .where('domain_seen_at', '>=', p.since),
)

/** By the id of the page. */
export const pageLinks = async (
  trx: Db,
  pages: readonly StatusPagesTable[],
  { now, baseUrl }: MailMoment,
): Promise<ReadonlyMap<string, readonly string[]>> => {
  if (pages.length === 0) return new Map()
  const pageIds = pages.map(({ id }) => id)
  const proven = await trx.all(provenDomains, { pageIds, since: now - proofLastsMs })
  const domainOf = new Map(proven.map(({ status_page_id, domain }) => [status_page_id, domain]))
  return new Map(
    pages.map(({ id, url, custom_domain }) => {
      const isOwn = custom_domain !== null && domainOf.get(id) === custom_domain
      const address = isOwn ? `https://${custom_domain}/` : `${baseUrl}/status/${url}`
      return [id, [address]]
    }),
  )
}
