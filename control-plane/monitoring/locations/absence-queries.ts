/** SQL of locations that have checks and no agent. */
import { sql } from 'kysely'
import { query } from '../../platform/store/database/query.ts'

/**
 * Private locations that active checks run in, with the latest sign of life of their agents. A check's locations are a
 * JSON array in its schedule; ids are UUIDs, so that one is found in it as a text.
 */
export const locationsWithChecks = query('locations-with-checks', (k, _: Record<string, never>) =>
  k
    .selectFrom('private_locations as l')
    .select((at) => [
      'l.id',
      'l.account_id',
      'l.name',
      at
        .selectFrom('agents as a')
        .select((of) => of.fn.max('a.last_seen_at').as('last'))
        .whereRef('a.location_id', '=', 'l.id')
        .as('last_seen_at'),
    ])
    .where((at) =>
      at.exists(
        at
          .selectFrom('schedules as s')
          .select('s.check_id')
          .whereRef('s.account_id', '=', 'l.account_id')
          .where('s.locations', 'like', sql<string>`'%' || l.id || '%'`),
      ),
    ),
)

export const absences = query('location-absences', (k, _: Record<string, never>) =>
  k.selectFrom('location_absences').selectAll(),
)

type Absence = { locationId: string; accountId: string; now: number }

export const insertAbsence = query('insert-location-absence', (k, p: Absence) =>
  k
    .insertInto('location_absences')
    .values({ location_id: p.locationId, account_id: p.accountId, since: p.now, noticed_at: null })
    .onConflict((conflict) => conflict.column('location_id').doNothing()),
)

/** Of several control planes one gives notice. */
export const noticeAbsence = query('notice-location-absence', (k, p: { locationId: string; now: number }) =>
  k
    .updateTable('location_absences')
    .set({ noticed_at: p.now })
    .where('location_id', '=', p.locationId)
    .where('noticed_at', 'is', null),
)

/** Whoever gets the row tells that it is over. */
export const endAbsence = query('end-location-absence', (k, p: { locationId: string }) =>
  k.deleteFrom('location_absences').where('location_id', '=', p.locationId).returning('noticed_at'),
)

/** Agents could not be seen while no control plane was running: what was not told yet begins anew. */
export const forgetUnnoticedAbsences = query('forget-unnoticed-absences', (k, _: Record<string, never>) =>
  k.deleteFrom('location_absences').where('noticed_at', 'is', null),
)

/** `locations`: ids. */
export const noticedAbsencesOf = query(
  'noticed-absences-of',
  (k, p: { locations: readonly string[] }, engine) =>
    k
      .selectFrom('location_absences')
      .select(['location_id', 'since'])
      .where('location_id', 'in', engine.textList(p.locations))
      .where('noticed_at', 'is not', null),
)

export const ownersAndAdmins = query('owners-and-admins', (k, p: { accountId: string }) =>
  k
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.email', 'users.language'])
    .where('memberships.account_id', '=', p.accountId)
    .where('memberships.role', 'in', ['OWNER', 'ADMIN'])
    .orderBy('memberships.created_at')
    .orderBy('memberships.user_id'),
)
