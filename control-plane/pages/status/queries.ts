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
  const onCards = k
    .selectFrom('status_page_card_services')
    .select('service_id')
    .where('status_page_id', '=', p.pageId)
  const links = k
    .selectFrom('service_checks')
    .where('service_id', 'in', onCards)
    .select((at) => [
      at.fn.countAll<number>().as('number'),
      at.fn.sum<number | null>('changed_at').as('versions'),
      at.fn.max('linked_at').as('created'),
      at.fn.max('changed_at').as('updated'),
    ])
  // How many pass, are degraded and fail: another run that says the same changes nothing.
  const states = k
    .selectFrom('service_checks as link')
    .innerJoin('check_statuses as status', 'status.check_id', 'link.check_id')
    .where('link.service_id', 'in', onCards)
    .select((at) => {
      const those = (state: string) =>
        at.fn.sum<number | null>(
          at.case().when('status.state', '=', state).then(at.lit(1)).else(at.lit(0)).end(),
        )
      return [
        at.fn.countAll<number>().as('number'),
        those('passing').as('versions'),
        at.fn.coalesce(those('degraded'), at.lit(0)).as('created'),
        those('failing').as('updated'),
      ]
    })
  return page
    .unionAll(publication)
    .unionAll(incidents)
    .unionAll(services)
    .unionAll(windows)
    .unionAll(exceptions)
    .unionAll(updates)
    .unionAll(links)
    .unionAll(states)
})

export const keyHashesOfPage = query('key-hashes-of-page', (k, p: { pageId: string }) =>
  k.selectFrom('status_page_keys').select(['id', 'hash']).where('status_page_id', '=', p.pageId),
)

/** The checks of services, with their state; `created_at`: of the state, which is when their first run was judged. */
export const checksOfServices = query(
  'checks-of-services',
  (k, p: { serviceIds: readonly string[] }, engine) =>
    k
      .selectFrom('service_checks as link')
      .innerJoin('checks', 'checks.id', 'link.check_id')
      .leftJoin('check_statuses as status', 'status.check_id', 'link.check_id')
      .select(['link.check_id', 'link.service_id', 'link.active', 'link.linked_at', 'checks.doc'])
      .select(['status.state', 'status.created_at', 'checks.group_id'])
      .leftJoin('alert_states as alerts', (on) =>
        on.onRef('alerts.check_id', '=', 'link.check_id').on('alerts.level', '=', 'failing'),
      )
      .select((at) => [
        engine.jsonPart(at.ref('alerts.doc'), 'heldBack.on').as('held_by'),
        engine.jsonPart(at.ref('alerts.doc'), 'heldBack.phase').as('phase'),
      ])
      .where('link.service_id', 'in', engine.textList(p.serviceIds))
      .orderBy('link.check_id'),
)
