/** All SQL about incident updates. */
import { query } from '../../platform/store/database/query.ts'
import type { IncidentUpdatesTable } from '../../platform/store/database/tables/status-pages.ts'

type OneUpdate = { id: string; incidentId: string; accountId: string }

export const findIncidentUpdate = query('find-incident-update', (k, p: OneUpdate) =>
  k
    .selectFrom('incident_updates')
    .selectAll()
    .where('id', '=', p.id)
    .where('incident_id', '=', p.incidentId)
    .where('account_id', '=', p.accountId),
)

/** Oldest first, by when it happened. */
export const stepsOfIncident = query('steps-of-incident', (k, p: { incidentId: string }) =>
  k
    .selectFrom('incident_updates')
    .select(['status', 'published_at'])
    .where('incident_id', '=', p.incidentId)
    .orderBy('published_at')
    .orderBy('created_at')
    .orderBy('id'),
)

/** The newest `limit` of each of several incidents, newest first, by when it happened. */
export const updatesOfIncidents = query(
  'updates-of-incidents',
  (k, p: { ids: readonly string[]; limit: number }, engine) =>
    k
      .with('ranked', (at) =>
        at
          .selectFrom('incident_updates')
          .selectAll()
          .select((of) =>
            of.fn
              .agg<number>('row_number')
              .over((over) =>
                over
                  .partitionBy('incident_id')
                  .orderBy('published_at', 'desc')
                  .orderBy('created_at', 'desc')
                  .orderBy('id', 'desc'),
              )
              .as('position'),
          )
          .where('incident_id', 'in', engine.textList(p.ids)),
      )
      .selectFrom('ranked')
      .selectAll()
      .where('position', '<=', p.limit)
      .orderBy('position'),
)

export const insertIncidentUpdate = query('insert-incident-update', (k, p: IncidentUpdatesTable) =>
  k.insertInto('incident_updates').values({
    id: p.id,
    account_id: p.account_id,
    incident_id: p.incident_id,
    status: p.status,
    description: p.description,
    translations: p.translations,
    published_at: p.published_at,
    notify_subscribers: p.notify_subscribers,
    created_at: p.created_at,
  }),
)

export const changeIncidentUpdate = query('change-incident-update', (k, p: IncidentUpdatesTable) =>
  k
    .updateTable('incident_updates')
    .set({
      status: p.status,
      description: p.description,
      translations: p.translations,
      published_at: p.published_at,
      notify_subscribers: p.notify_subscribers,
    })
    .where('id', '=', p.id),
)

export const deleteIncidentUpdate = query('delete-incident-update', (k, p: OneUpdate) =>
  k
    .deleteFrom('incident_updates')
    .where('id', '=', p.id)
    .where('incident_id', '=', p.incidentId)
    .where('account_id', '=', p.accountId),
)

export const deleteUpdatesOfIncident = query('delete-updates-of-incident', (k, p: { incidentId: string }) =>
  k.deleteFrom('incident_updates').where('incident_id', '=', p.incidentId),
)
