import { integer, text } from '../../../platform/store/database/ddl.ts'
import { query } from '../../../platform/store/database/query.ts'

/** In the order of their ids, so many at a time: a walk through two keys, whatever was or was not run. */
export const scheduledStatuses = query('scheduled-statuses', (k, p: { afterId: string; limit: number }) =>
  k
    .selectFrom('schedules as s')
    .leftJoin('check_statuses as t', 't.check_id', 's.check_id')
    .select(['s.check_id', 's.account_id', 's.period_ms', 's.from_at'])
    .select(['t.last_started_at', 't.longest_run', 't.stale_since'])
    .where('s.check_id', '>', p.afterId)
    .orderBy('s.check_id')
    .limit(p.limit),
)

type Silent = { check_id: string; since: number }

/** Nothing where a result came meanwhile, or another control plane was faster. What fails goes on failing, as its alert does. */
export const markStale = query('mark-stale', (k, p: { silent: readonly Silent[] }, engine) =>
  k
    .updateTable('check_statuses')
    .from(engine.rowList(p.silent, { check_id: text, since: integer }).$castTo<Silent>().as('r'))
    .set((at) => ({
      state: at.case().when('state', '=', 'failing').then('failing').else('stale').end(),
      stale_since: at.ref('r.since'),
    }))
    .whereRef('check_statuses.check_id', '=', 'r.check_id')
    .whereRef('check_statuses.last_started_at', '=', 'r.since')
    .where('stale_since', 'is', null),
)
