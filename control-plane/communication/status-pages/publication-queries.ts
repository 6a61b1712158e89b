/** All SQL about how pages are given to visitors. */
import { query } from '../../platform/store/database/query.ts'
import type { StatusPagePublicationsTable } from '../../platform/store/database/tables/status-pages.ts'

export const findPublication = query('find-publication', (k, p: { pageId: string }) =>
  k.selectFrom('status_page_publications').selectAll().where('status_page_id', '=', p.pageId),
)

/** Only while the page is there: its lock is held. */
export const savePublication = query('save-publication', (k, p: StatusPagePublicationsTable) => {
  const changing = {
    domain: p.domain,
    domain_seen_at: p.domain_seen_at,
    domain_checked_at: p.domain_checked_at,
    password_hash: p.password_hash,
    updated_at: p.updated_at,
    doc: p.doc,
  }
  return k
    .insertInto('status_page_publications')
    .values({ status_page_id: p.status_page_id, account_id: p.account_id, ...changing })
    .onConflict((conflict) => conflict.column('status_page_id').doUpdateSet(changing))
})

export const deletePublication = query('delete-publication', (k, p: { pageId: string }) =>
  k.deleteFrom('status_page_publications').where('status_page_id', '=', p.pageId),
)

/** The page that has proven a domain; `since`: a proof that was not seen for longer is none. */
export const pageOfDomain = query('page-of-domain', (k, p: { domain: string; since: number }) =>
  k
    .selectFrom('status_page_publications as publication')
    .innerJoin('status_pages as page', 'page.id', 'publication.status_page_id')
    .select('page.url')
    .where('publication.domain', '=', p.domain)
    .whereRef('page.custom_domain', '=', 'publication.domain')
    .where('publication.domain_seen_at', '>=', p.since),
)

type DomainCheckTimes = { newBefore: number; provenBefore: number; limit: number }

/** Pages whose domain was not looked at for a while, those that were never looked at first. */
export const domainsToCheck = query('domains-to-check', (k, p: DomainCheckTimes) =>
  k
    .selectFrom('status_pages as page')
    .leftJoin('status_page_publications as publication', 'publication.status_page_id', 'page.id')
    .select(['page.id', 'page.account_id'])
    .where('page.custom_domain', 'is not', null)
    .where((at) =>
      at.or([
        at('publication.domain', 'is', null),
        at(at.ref('publication.domain'), '<>', at.ref('page.custom_domain')),
        at('publication.domain_checked_at', '<', p.provenBefore),
        at.and([
          at('publication.domain_seen_at', 'is', null),
          at('publication.domain_checked_at', '<', p.newBefore),
        ]),
      ]),
    )
    .orderBy('publication.domain_checked_at')
    .limit(p.limit),
)
