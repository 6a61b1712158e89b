/** All SQL about incidents and the services they hit; that of their updates is in update-queries.ts. */

import type { Db } from '../../platform/store/database/db.ts'
import { documentQueries } from '../../platform/store/database/document-queries.ts'
import { query } from '../../platform/store/database/query.ts'
import type { IncidentsTable } from '../../platform/store/database/tables/status-pages.ts'
import type { CreatedCursor } from '../../platform/words/shapes/cursor.ts'

/** Whoever locks an incident holds its updates, too. */
export const {
  find: findIncident,
  lock: lockIncident,
  insert: insertIncident,
  update: updateIncident,
  remove: deleteIncident,
} = documentQueries('incidents', {
  name: 'incident',
  key: 'id',
  columns: {
    status_page_id: 'stays',
    impacts: 'changes',
    name: 'changes',
    translations: 'changes',
    severity: 'changes',
    status: 'changes',
    started_at: 'changes',
    resolved_at: 'changes',
    created_at: 'stays',
    updated_at: 'changes',
    version: 'changes',
  },
})

export const insertIncidentService = query(
  'insert-incident-service',
  (k, p: { incidentId: string; serviceId: string; accountId: string; position: number }) =>
    k.insertInto('incident_services').values({
      incident_id: p.incidentId,
      service_id: p.serviceId,
      account_id: p.accountId,
      position: p.position,
    }),
)

export const deleteServicesOfIncident = query('delete-services-of-incident', (k, p: { incidentId: string }) =>
  k.deleteFrom('incident_services').where('incident_id', '=', p.incidentId),
)

/** The services of several incidents, in the order they were named. */
export const servicesOfIncidents = query(
  'services-of-incidents',
  (k, p: { ids: readonly string[] }, engine) =>
    k
      .selectFrom('incident_services as link')
      .innerJoin('status_page_services as service', 'service.id', 'link.service_id')
      .selectAll('service')
      .select('link.incident_id')
      .where('link.incident_id', 'in', engine.textList(p.ids))
      .orderBy('link.position'),
)

/** The one page that it is told on, or those with one of its services on a card. */
export const pagesOfIncident = query('pages-of-incident', (k, p: { incidentId: string }) =>
  k
    .selectFrom('status_pages')
    .selectAll()
    .where('id', 'in', (at) =>
      at
        .selectFrom('incident_services as link')
        .innerJoin('status_page_card_services as shown', 'shown.service_id', 'link.service_id')
        .innerJoin('incidents', 'incidents.id', 'link.incident_id')
        .select('shown.status_page_id as page_id')
        .where('link.incident_id', '=', p.incidentId)
        .where('incidents.status_page_id', 'is', null)
        .unionAll(
          at
            .selectFrom('incidents')
            .select('status_page_id as page_id')
            .where('id', '=', p.incidentId)
            .where('status_page_id', 'is not', null)
            .$narrowType<{ page_id: string }>(),
        ),
    )
    .orderBy('created_at')
    .orderBy('id'),
)

/** Newest first. */
export const listIncidents = (
  db: Db,
  accountId: string,
  { after, limit }: { after: CreatedCursor | undefined; limit: number },
): Promise<IncidentsTable[]> =>
  db.select((k) => {
    let list = k.selectFrom('incidents').selectAll().where('account_id', '=', accountId)
    if (after !== undefined)
      list = list.where((at) => at(at.refTuple('created_at', 'id'), '<', at.tuple(after.createdAt, after.id)))
    return list.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit)
  })

type Since = { serviceIds: readonly string[]; pageId: string; since: number }

/** Every incident that took something from the services of a page since then. */
export const incidentSpansOfServices = query('incident-spans-of-services', (k, p: Since, engine) =>
  k
    .selectFrom('incident_services as link')
    .innerJoin('incidents', 'incidents.id', 'link.incident_id')
    .select(['link.service_id', 'incidents.severity', 'incidents.started_at', 'incidents.resolved_at'])
    .select('incidents.impacts')
    .where('link.service_id', 'in', engine.textList(p.serviceIds))
    .where((at) =>
      at.or([at('incidents.status_page_id', 'is', null), at('incidents.status_page_id', '=', p.pageId)]),
    )
    .where('incidents.started_at', 'is not', null)
    .where((at) =>
      at.or([at('incidents.resolved_at', 'is', null), at('incidents.resolved_at', '>', p.since)]),
    )
    .$narrowType<{ started_at: number }>(),
)

/** What hit the services on the cards of several pages: the newest `limit` of each, newest first. */
export const incidentsOfPages = query(
  'incidents-of-pages',
  (k, p: { pageIds: readonly string[]; limit: number }, engine) =>
    k
      .with('hit', (at) =>
        at
          .selectFrom('status_page_card_services as shown')
          .innerJoin('incident_services as link', 'link.service_id', 'shown.service_id')
          .innerJoin('incidents as told', 'told.id', 'link.incident_id')
          .select(['shown.status_page_id as page_id', 'link.incident_id'])
          .distinct()
          .where('shown.status_page_id', 'in', engine.textList(p.pageIds))
          .where('told.status_page_id', 'is', null)
          .unionAll(
            at
              .selectFrom('incidents')
              .select(['status_page_id as page_id', 'id as incident_id'])
              .where('status_page_id', 'in', engine.textList(p.pageIds))
              .$narrowType<{ page_id: string }>(),
          ),
      )
      .with('ranked', (at) =>
        at
          .selectFrom('hit')
          .innerJoin('incidents', 'incidents.id', 'hit.incident_id')
          .selectAll('incidents')
          .select('hit.page_id')
          .select((of) =>
            of.fn
              .agg<number>('row_number')
              .over((over) =>
                over
                  .partitionBy('hit.page_id')
                  .orderBy('incidents.created_at', 'desc')
                  .orderBy('incidents.id', 'desc'),
              )
              .as('position'),
          ),
      )
      .selectFrom('ranked')
      .selectAll()
      .where('position', '<=', p.limit)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc'),
)
