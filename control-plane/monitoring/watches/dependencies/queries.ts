/** All SQL about checks that are run, or judged again, because of what depends on what. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/store/database/db.ts'
import { freeRows } from '../../../platform/store/database/free-rows.ts'
import { query } from '../../../platform/store/database/query.ts'

type Ids = { ids: readonly string[] }

/** What is known of those that run among checks that others depend on: whether they are down, since when, and when they were last run. */
export const knownOfChecks = query('known-of-dependencies', (k, p: Ids, engine) =>
  k
    .selectFrom('checks as c')
    .leftJoin('alert_states as a', 'a.check_id', 'c.id')
    .leftJoin('check_statuses as s', 's.check_id', 'c.id')
    .leftJoin('schedules as p', 'p.check_id', 'c.id')
    .leftJoin('check_groups as g', 'g.id', 'c.group_id')
    .select(['c.id', 'c.name', 'c.group_id', 'g.name as group_name'])
    .select(['a.level', 's.last_started_at', 'p.locations'])
    .select((at) =>
      // A row that this transaction made has no document yet, and is well.
      sql<number | null>`case when a.level = ${sql.lit('failing')}
        then cast(${engine.jsonPart(at.ref('a.doc'), 'state.changedAt')} as bigint) else null end`.as(
        'failing_since',
      ),
    )
    .where('c.id', 'in', engine.textList(p.ids))
    .where('c.activated', '=', true)
    .where((at) => at.or([at('g.activated', 'is', null), at('g.activated', '=', true)])),
)

/** Which checks of groups run. */
export const activeChecksOfGroups = (
  db: Db,
  accountId: string,
  groupIds: readonly number[],
): Promise<Array<{ id: string; group_id: number | null }>> =>
  groupIds.length === 0
    ? Promise.resolve([])
    : db.select((k) =>
        k
          .selectFrom('checks')
          .select(['id', 'group_id'])
          .where('account_id', '=', accountId)
          .where('group_id', 'in', groupIds)
          .where('activated', '=', true),
      )

/** Kept back or waiting for anything else: they are looked at again at once. One that somebody else holds is just being looked at. */
export const lookAgainNow = query('look-again-at-alert-states', (k, p: Ids & { now: number }, engine) =>
  k
    .updateTable('alert_states')
    .set({ wake_at: p.now })
    .where(
      'check_id',
      'in',
      freeRows(
        engine,
        k
          .selectFrom('alert_states')
          .select('check_id')
          .where('check_id', 'in', engine.textList(p.ids))
          .where('wake_at', '>', p.now),
      ),
    ),
)

/** Checks that can be run, and where. */
export const runnableChecks = query('runnable-checks', (k, p: Ids, engine) =>
  k
    .selectFrom('checks as c')
    .innerJoin('schedules as s', 's.check_id', 'c.id')
    .select(['c.id', 'c.account_id', 'c.type', 'c.name', 's.locations', 's.parallel', 's.runtime_id'])
    .where('c.id', 'in', engine.textList(p.ids)),
)

/** Of these, those that are being run now for the sake of others. */
export const beingRunNow = query('being-run-now', (k, p: Ids, engine) =>
  k
    .selectFrom('check_sessions')
    .select('check_id')
    .where('check_id', 'in', engine.textList(p.ids))
    .where('run_source', '=', 'SCHEDULE_NOW')
    .where('stopped_at', 'is', null),
)
