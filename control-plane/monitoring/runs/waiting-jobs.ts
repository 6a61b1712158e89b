/** Jobs that are due and wait, walked over in the order of an index: they may be many thousands, where no agent is. */

import type { SelectQueryBuilder } from 'kysely'
import { freeRows } from '../../platform/store/database/free-rows.ts'
import { query } from '../../platform/store/database/query.ts'
import type { JobsTable } from '../../platform/store/database/tables/runs.ts'
import type { Tables } from '../../platform/store/database/tables.ts'

/** A place in the order of the jobs that wait. */
export type WaitingPosition = { at: number; id: string }

/** Jobs that wait, behind one place, up to and including another; none has an empty id. */
export type WaitingSlice = { afterAt: number; afterId: string; untilAt: number; untilId: string }

/** All that are due. */
export const allDue = (now: number): WaitingSlice => ({
  afterAt: -1,
  afterId: '',
  untilAt: now + 1,
  untilId: '',
})

const inSlice = <O>(
  jobs: SelectQueryBuilder<Tables & { j: JobsTable }, 'j', O>,
  { afterAt, afterId, untilAt, untilId }: WaitingSlice,
): SelectQueryBuilder<Tables & { j: JobsTable }, 'j', O> =>
  jobs
    .where('j.agent_id', 'is', null)
    .where((at) => at(at.refTuple('j.due_at', 'j.id'), '>', at.tuple(afterAt, afterId)))
    .where((at) => at(at.refTuple('j.due_at', 'j.id'), '<=', at.tuple(untilAt, untilId)))
    .orderBy('j.due_at')
    .orderBy('j.id')

/** The last of the next `size` jobs, or nothing: there are fewer. */
export const endOfWaitingSlice = query('end-of-waiting-slice', (k, p: WaitingSlice & { skip: number }) =>
  inSlice(k.selectFrom('jobs as j').select(['j.due_at as at', 'j.id']), p)
    .limit(1)
    .offset(p.skip),
)

/**
 * Due, and the run before it of the same session (or of the schedule) still executes; one that waits for its retry does too.
 * One that its agent has said nothing of since an outage of ours may have finished: that is waited for.
 */
export const takeOverlappedJobs = query(
  'take-overlapped-jobs',
  (k, p: WaitingSlice & { limit: number }, engine) => {
    const overlapped = inSlice(k.selectFrom('jobs as j').select('j.id'), p)
      .where('j.attempt', '=', 1)
      .where((where) =>
        where.exists(
          where
            .selectFrom('jobs as o')
            .select('o.id')
            .whereRef('o.check_id', '=', 'j.check_id')
            .whereRef('o.home', '=', 'j.home')
            .whereRef('o.session_id', '=', 'j.session_id')
            .whereRef('o.due_at', '<', 'j.due_at')
            .where((other) =>
              other.or([
                other('o.run_state', '=', 'running'),
                other.and([other('o.agent_id', 'is', null), other('o.attempt', '>', 1)]),
              ]),
            ),
        ),
      )
      .limit(p.limit)
    return k
      .deleteFrom('jobs')
      .where('id', 'in', freeRows(engine, overlapped, 'j'))
      .returningAll()
  },
)

/** Waited as long as they may. */
export const takeExpiredJobs = query(
  'take-expired-jobs',
  (k, p: WaitingSlice & { now: number; limit: number }, engine) => {
    const expired = inSlice(k.selectFrom('jobs as j').select('j.id'), p)
      .where('j.expires_at', '<=', p.now)
      .limit(p.limit)
    return k.deleteFrom('jobs').where('id', 'in', freeRows(engine, expired)).returningAll()
  },
)
