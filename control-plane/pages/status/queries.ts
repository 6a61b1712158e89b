/** All SQL of status pages as visitors see them that their slices do not have already. */
import { query } from '../../platform/store/database/query.ts'

/** Rows that say whether anything that a page shows was changed, whoever changed it. */
export const stampOfPage = query('stamp-of-status-page', (k, p: { pageId: string; accountId: string }) => {
  const onPage = k
    .selectFrom('status_page_card_services as shown')
    .innerJoin('incident_services as link', 'link.service_id', 'shown.service_id')
    .select('link.incident_id')
    .where('shown.status_page_id', '=', p.pageId)
  const page = k
    .selectFrom('status_pages')
    .where('id', '=', p.pageId)
    .select((at) => [
      at.fn.countAll<number>().as('number'),
      at.fn.sum<number | null>('version').as('versions'),
      at.fn.max('created_at').as('created'),
      at.fn.max('updated_at').as('updated'),
    ])
  const incidents = k
    .selectFrom('incidents')
    .where('id', 'in', onPage)
    .select((at) => [
      at.fn.countAll<number>().as('number'),
      at.fn.sum<number | null>('version').as('versions'),
      at.fn.max('created_at').as('created'),
      at.fn.max('updated_at').as('updated'),
    ])
  const services = k
    .selectFrom('status_page_services as service')
    .innerJoin('status_page_card_services as shown', 'shown.service_id', 'service.id')
    .where('shown.status_page_id', '=', p.pageId)
    .select((at) => [
      at.fn.countAll<number>().as('number'),
      at.fn.sum<number | null>('shown.position').as('versions'),
      at.fn.max('service.created_at').as('created'),
      at.fn.max('service.updated_at').as('updated'),
    ])
  const windows = k
    .selectFrom('maintenance_windows')
    .where('account_id', '=', p.accountId)
    .select((at) => [
      at.fn.countAll<number>().as('number'),
      at.fn.sum<number | null>('version').as('versions'),
      at.fn.max('created_at').as('created'),
      at.fn.max('updated_at').as('updated'),
    ])
  const exceptions = k
    .selectFrom('maintenance_exceptions')
    .where('account_id', '=', p.accountId)
    .select((at) => [
      at.fn.countAll<number>().as('number'),
      at.fn.sum<number | null>('window_id').as('versions'),
      at.fn.max('updated_at').as('created'),
      at.fn.max('updated_at').as('updated'),
    ])
  const updates = k
    .selectFrom('maintenance_updates')
    .where('account_id', '=', p.accountId)
    .select((at) => [
      at.fn.countAll<number>().as('number'),
      at.fn.sum<number | null>('window_id').as('versions'),
      at.fn.max('created_at').as('created'),
      at.fn.max('updated_at').as('updated'),
    ])
  const publication = k
    .selectFrom('status_page_publications')
    .where('status_page_id', '=', p.pageId)
    .select((at) => [
      at.fn.countAll<number>().as('number'),
      at.fn.sum<number | null>('updated_at').as('versions'),
      at.fn.max('updated_at').as('created'),
      at.fn.max('updated_at').as('updated'),
    ])
  return page
    .unionAll(publication)
    .unionAll(incidents)
    .unionAll(services)
    .unionAll(windows)
    .unionAll(exceptions)
    .unionAll(updates)
})

export const keyHashesOfPage = query('key-hashes-of-page', (k, p: { pageId: string }) =>
  k.selectFrom('status_page_keys').select(['id', 'hash']).where('status_page_id', '=', p.pageId),
)

/** Checks whose own settings open incidents on a service of the account. */
export const checksWithService = query(
  'checks-with-service',
  (k, p: { accountId: string; pattern: string }, engine) =>
    k
      .selectFrom('checks')
      .select(['id', 'doc', 'activated'])
      .where('account_id', '=', p.accountId)
      .where((at) => engine.containsText(at.ref('doc'), p.pattern)),
)
