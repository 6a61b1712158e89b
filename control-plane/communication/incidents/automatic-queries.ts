/** All SQL about incidents that checks open and resolve. */
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'
import type { AutomaticIncidentsTable } from '../../platform/store/database/tables/incident-automation.ts'

export const findAutomaticIncident = query(
  'find-automatic-incident',
  (k, p: { checkId: string; causeId: string }) =>
    k
      .selectFrom('automatic_incidents')
      .select('incident_id')
      .where('check_id', '=', p.checkId)
      .where('cause_id', '=', p.causeId),
)

/** Changes nothing when the check has an incident of that cause already. */
export const insertAutomaticIncident = query('insert-automatic-incident', (k, p: AutomaticIncidentsTable) =>
  k
    .insertInto('automatic_incidents')
    .values({
      check_id: p.check_id,
      cause_id: p.cause_id,
      account_id: p.account_id,
      incident_id: p.incident_id,
      notify_subscribers: p.notify_subscribers,
    })
    .onConflict((conflict) => conflict.columns(['check_id', 'cause_id']).doNothing()),
)

const incidentsOfChecks = query(
  'automatic-incidents-of-checks',
  (k, p: { checkIds: readonly string[] }, engine) =>
    k
      .selectFrom('automatic_incidents')
      .select('check_id')
      .where('check_id', 'in', engine.textList(p.checkIds)),
)

/** Which of these checks have opened some. */
export const checksWithIncidents = async (trx: Db, checkIds: readonly string[]): Promise<Set<string>> => {
  const rows = checkIds.length === 0 ? [] : await trx.all(incidentsOfChecks, { checkIds })
  return new Set(rows.map(({ check_id }) => check_id))
}

/** Whoever gets the rows ends the episode. */
export const takeAutomaticIncidents = query('take-automatic-incidents', (k, p: { checkId: string }) =>
  k.deleteFrom('automatic_incidents').where('check_id', '=', p.checkId).returningAll(),
)

/** Only that of one cause. */
export const takeAutomaticIncident = query(
  'take-automatic-incident',
  (k, p: { checkId: string; causeId: string }) =>
    k
      .deleteFrom('automatic_incidents')
      .where('check_id', '=', p.checkId)
      .where('cause_id', '=', p.causeId)
      .returningAll(),
)

/** Some check is failing in it. */
export const findEpisodeOfIncident = query('find-episode-of-incident', (k, p: { incidentId: string }) =>
  k.selectFrom('automatic_incidents').select('check_id').where('incident_id', '=', p.incidentId).limit(1),
)

/** Those of the pages that have the service on a card. */
export const pagesWithService = query(
  'pages-with-service',
  (k, p: { serviceId: string; pageIds: readonly string[] }, engine) =>
    k
      .selectFrom('status_page_card_services')
      .select('status_page_id')
      .distinct()
      .where('service_id', '=', p.serviceId)
      .where('status_page_id', 'in', engine.textList(p.pageIds)),
)
