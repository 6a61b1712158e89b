/**
 * A page is shown under a domain when the DNS of that domain says so: a TXT record with the page's token, or a CNAME that names it. A name
 * that only points here proves nothing, because many accounts share one installation. The token is no secret: to write it takes the domain.
 */

import type { App } from '../../platform/app/app.ts'
import type { HasDomainRecords } from '../../platform/services/outgoing/domain-records.ts'
import type {
  StatusPagePublicationsTable,
  StatusPagesTable,
} from '../../platform/store/database/tables/status-pages.ts'
import { publicationDoc } from '../stored-pages/publication-doc.ts'
import { lockPage } from '../stored-pages/queries.ts'
import { findPublication, savePublication } from './publication-queries.ts'

/** A proof that nobody sees for so long is over: the domain may have another owner. */
export const proofLastsMs = 7 * 86_400_000

const proofName = (domain: string): string => `_watchpost.${domain}`
const proofToken = ({ id }: Pick<StatusPagesTable, 'id'>): string => `watchpost-${id}`

export const recordsOf = (page: Pick<StatusPagesTable, 'id'>, domain: string, baseUrl: string) => [
  { type: 'TXT' as const, name: proofName(domain), value: proofToken(page) },
  {
    type: 'CNAME' as const,
    name: proofName(domain),
    value: `${proofToken(page)}.${URL.parse(baseUrl)?.hostname ?? 'localhost'}`,
  },
]

export const isProven = (
  page: Pick<StatusPagesTable, 'custom_domain'>,
  row: StatusPagePublicationsTable | undefined,
  now: number,
): boolean =>
  row !== undefined &&
  page.custom_domain !== null &&
  row.domain === page.custom_domain &&
  row.domain_seen_at !== null &&
  row.domain_seen_at >= now - proofLastsMs

export const emptyPublication = (page: StatusPagesTable, now: number): StatusPagePublicationsTable => ({
  status_page_id: page.id,
  account_id: page.account_id,
  domain: null,
  domain_seen_at: null,
  domain_checked_at: null,
  password_hash: null,
  updated_at: now,
  doc: publicationDoc.write({ frameAncestors: [], allowedNetworks: [], languages: [] }),
})

/** Looks into the DNS, outside of any transaction, and writes down what was seen. */
export const checkDomain = async (app: App & HasDomainRecords, page: StatusPagesTable): Promise<void> => {
  const { custom_domain: domain } = page
  if (domain === null) return
  const seen = await isSeen(app, page.id, domain)
  const now = app.clock.now()
  await app.db.transaction(async (trx) => {
    const held = await trx.get(lockPage, { id: page.id, accountId: page.account_id })
    if (held?.custom_domain !== domain) return
    const row = (await trx.get(findPublication, { pageId: page.id })) ?? emptyPublication(page, now)
    const before = row.domain === domain ? row.domain_seen_at : null
    await trx.run(savePublication, {
      ...row,
      domain,
      domain_seen_at: seen ? now : before,
      domain_checked_at: now,
    })
  })
}

/** Looks into the DNS for the proof that a domain belongs to a page. */
export const isSeen = async (
  app: App & HasDomainRecords,
  pageId: string,
  domain: string,
): Promise<boolean> => {
  const [name, token] = [proofName(domain), proofToken({ id: pageId })]
  const [texts, aliases] = await Promise.all([app.domainRecords.txt(name), app.domainRecords.cname(name)])
  return texts.includes(token) || aliases.some((alias) => alias.toLowerCase().split('.')[0] === token)
}

const newEveryMs = 5 * 60_000
const provenEveryMs = 6 * 3_600_000
/** Names are asked one after the other: one that hangs takes seconds. */
const atOnce = 20

/** Soon where a proof is missing, now and then where it was seen. */
export const domainCheckTimes = (now: number) => ({
  ...{ newBefore: now - newEveryMs, provenBefore: now - provenEveryMs, limit: atOnce },
})
