/** SQL of what is wrong with private locations that checks run in. */
import type { LocationProblem } from '../../alerting/messages/location-problem.ts'
import { query } from '../../platform/store/database/query.ts'

/** Private locations that active checks run in, with the latest sign of life of their agents, and the minutes since `lateSince` in which runs waited: at all, and for too long. */
export const locationsWithChecks = query('locations-with-checks', (k, p: { lateSince: number }) =>
  k
    .selectFrom('private_locations as l')
    .select((at) => [
      'l.id',
      'l.account_id',
      'l.name',
      'l.doc',
      at
        .selectFrom('agents as a')
        .select((of) => of.fn.max('a.last_seen_at').as('last'))
        .whereRef('a.location_id', '=', 'l.id')
        .as('last_seen_at'),
      at
        .selectFrom('location_samples as m')
        .select((of) => of.fn.countAll<number>().as('minutes'))
        .whereRef('m.location_id', '=', 'l.id')
        .where('m.at', '>=', p.lateSince)
        .where('m.late_jobs', '>', 0)
        .as('late_minutes'),
      at
        .selectFrom('location_samples as w')
        .select((of) => of.fn.countAll<number>().as('minutes'))
        .whereRef('w.location_id', '=', 'l.id')
        .where('w.at', '>=', p.lateSince)
        .where('w.queue_size', '>', 0)
        .as('waiting_minutes'),
    ])
    .where((at) =>
      at.exists(
        at.selectFrom('schedule_locations as s').select('s.check_id').whereRef('s.location_id', '=', 'l.id'),
      ),
    ),
)

export const locationName = query('name-of-location', (k, p: { id: string }) =>
  k.selectFrom('private_locations').select('name').where('id', '=', p.id),
)

/** Some of the checks that run in a location, in the order of their ids. */
export const checksInLocation = query(
  'checks-in-location',
  (k, p: { locationId: string; after: string; limit: number }) =>
    k
      .selectFrom('schedule_locations')
      .select('check_id')
      .where('location_id', '=', p.locationId)
      .where('check_id', '>', p.after)
      .orderBy('check_id')
      .limit(p.limit),
)

/** Versions of the agents that are there, by location. */
export const versionsByLocation = query('agent-versions-by-location', (k, p: { since: number }) =>
  k.selectFrom('agents').select(['location_id', 'version']).distinct().where('last_seen_at', '>', p.since),
)

/** All of them, also those that are not told yet. */
export const locationProblems = query('location-problems', (k, _: Record<string, never>) =>
  k.selectFrom('location_problems').selectAll(),
)

type Problem = { locationId: string; problem: LocationProblem }

export const insertProblem = query(
  'insert-location-problem',
  (k, p: Problem & { accountId: string; now: number }) =>
    k
      .insertInto('location_problems')
      .values({
        location_id: p.locationId,
        problem: p.problem,
        account_id: p.accountId,
        since: p.now,
        noticed_at: null,
        mailed: false,
      })
      .onConflict((conflict) => conflict.columns(['location_id', 'problem']).doNothing()),
)

/** Of several control planes one tells it. */
export const noticeProblem = query('notice-location-problem', (k, p: Problem & { now: number }) =>
  k
    .updateTable('location_problems')
    .set({ noticed_at: p.now })
    .where('location_id', '=', p.locationId)
    .where('problem', '=', p.problem)
    .where('noticed_at', 'is', null),
)

export const noteMailed = query('note-location-problem-mailed', (k, p: Problem) =>
  k
    .updateTable('location_problems')
    .set({ mailed: true })
    .where('location_id', '=', p.locationId)
    .where('problem', '=', p.problem),
)

/** Whoever gets the row tells that it is over. */
export const endProblem = query('end-location-problem', (k, p: Problem) =>
  k
    .deleteFrom('location_problems')
    .where('location_id', '=', p.locationId)
    .where('problem', '=', p.problem)
    .returning(['since', 'noticed_at', 'mailed']),
)

export const deleteProblemsOfLocation = query('delete-problems-of-location', (k, p: { locationId: string }) =>
  k.deleteFrom('location_problems').where('location_id', '=', p.locationId),
)

/** Agents could not be seen while no control plane was running: what was not told yet begins anew. */
export const forgetUnnoticedProblems = query(
  'forget-unnoticed-location-problems',
  (k, _: Record<string, never>) => k.deleteFrom('location_problems').where('noticed_at', 'is', null),
)

/** `locations`: ids. What was told of them and is not over. */
export const noticedProblemsOf = query(
  'noticed-location-problems-of',
  (k, p: { locations: readonly string[] }, engine) =>
    k
      .selectFrom('location_problems')
      .select(['location_id', 'problem', 'since'])
      .where('location_id', 'in', engine.textList(p.locations))
      .where('noticed_at', 'is not', null)
      .orderBy('since')
      .orderBy('problem'),
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
