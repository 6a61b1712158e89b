import type { Db } from '../../../platform/store/database/db.ts'
import { freeRows } from '../../../platform/store/database/free-rows.ts'
import { query } from '../../../platform/store/database/query.ts'
import type {
  CheckSessionRunsTable,
  CheckSessionsTable,
} from '../../../platform/store/database/tables/check-sessions.ts'
import { someDocumented } from '../../results/stored/list-results.ts'
import type { ResultWithDoc } from '../../results/stored/result.ts'

/** Checks that can be triggered: active, with a location. Their schedule says where and how they run. */
export const triggerableChecks = query('triggerable-checks', (k, p: { accountId: string }) =>
  k
    .selectFrom('checks as c')
    .innerJoin('schedules as s', 's.check_id', 'c.id')
    .select(['c.id', 'c.type', 'c.name', 'c.group_id', 'c.doc', 's.locations', 's.runtime_id'])
    .where('c.account_id', '=', p.accountId)
    .orderBy('c.created_at')
    .orderBy('c.id'),
)

export const insertSession = query('insert-session', (k, p: CheckSessionsTable) =>
  k.insertInto('check_sessions').values({
    id: p.id,
    account_id: p.account_id,
    check_id: p.check_id,
    check_type: p.check_type,
    name: p.name,
    status: p.status,
    run_source: p.run_source,
    trigger_id: p.trigger_id,
    group_id: p.group_id,
    position: p.position,
    locations: p.locations,
    runtime_id: p.runtime_id,
    refresh_cache: p.refresh_cache,
    is_test: p.is_test,
    variables: p.variables,
    created_at: p.created_at,
    started_at: p.started_at,
    stopped_at: p.stopped_at,
  }),
)

export const insertSessionRun = query('insert-session-run', (k, p: CheckSessionRunsTable) =>
  k.insertInto('check_session_runs').values({
    id: p.id,
    session_id: p.session_id,
    account_id: p.account_id,
    run_location: p.run_location,
    sequence_id: p.sequence_id,
    state: p.state,
  }),
)

export const findSession = query('find-session', (k, p: { id: string; accountId: string }) =>
  k.selectFrom('check_sessions').selectAll().where('id', '=', p.id).where('account_id', '=', p.accountId),
)

/** Runs of one session end in different transactions: the session's row keeps them in line. */
export const lockSession = query('lock-session', (k, p: { id: string }, engine) => {
  const one = k.selectFrom('check_sessions').selectAll().where('id', '=', p.id)
  return engine.rowLocks ? one.forUpdate() : one
})

export const updateSession = query(
  'update-session',
  (k, p: { id: string; status: string; startedAt: number; stoppedAt: number | null }) =>
    k
      .updateTable('check_sessions')
      .set({ status: p.status, started_at: p.startedAt, stopped_at: p.stoppedAt })
      .where('id', '=', p.id),
)

export const runsOfSession = query('runs-of-session', (k, p: { sessionId: string }) =>
  k
    .selectFrom('check_session_runs')
    .selectAll()
    .where('session_id', '=', p.sessionId)
    .orderBy('run_location'),
)

type EndedRun = { sessionId: string; sequenceId: string; state: string }

/** By its sequence: a run that was retried ends with another job than it began with. */
export const updateSessionRun = query('update-session-run', (k, p: EndedRun) =>
  k
    .updateTable('check_session_runs')
    .set({ state: p.state })
    .where('session_id', '=', p.sessionId)
    .where('sequence_id', '=', p.sequenceId)
    .where('state', 'in', ['running', 'missed']),
)

/** The next session of the same group in the same request that has not been let go yet. */
export const nextWaitingSession = query(
  'next-waiting-session',
  (k, p: { triggerId: string; groupId: number }, engine) => {
    const next = k
      .selectFrom('check_sessions as s')
      .selectAll('s')
      .where('s.trigger_id', '=', p.triggerId)
      .where('s.group_id', '=', p.groupId)
      .where('s.status', '=', 'STARTED')
      .where((where) =>
        where.not(
          where.exists(
            where.selectFrom('check_session_runs as r').select('r.id').whereRef('r.session_id', '=', 's.id'),
          ),
        ),
      )
      .orderBy('s.position')
      .limit(1)
    return freeRows(engine, next)
  },
)

export const jobsOfSession = query('jobs-of-session', (k, p: { sessionId: string; checkId: string }) =>
  k.selectFrom('jobs').selectAll().where('check_id', '=', p.checkId).where('session_id', '=', p.sessionId),
)

type Sequences = { checkId: string; sequenceIds: readonly string[]; from: number; to: number }

/** `from`, `to`: no run of the session started outside. A check may have a million other results. */
export const resultsOfSequences = async (
  db: Db,
  { checkId, sequenceIds, from, to }: Sequences,
): Promise<ResultWithDoc[]> => {
  if (sequenceIds.length === 0) return []
  const list = { checkId, direction: 'oldest-first', from, to: to + 1, filter: { sequenceIds } } as const
  return someDocumented(db, list, maxAttempts)
}

/** More than all attempts of a session are. */
const maxAttempts = 10_000

/** What was tested stays: it says what came of a version of the check, and ends with its test. */
export const deleteSessionsOfCheck = query('delete-sessions-of-check', (k, p: { checkId: string }) =>
  k.deleteFrom('check_sessions').where('check_id', '=', p.checkId).where('is_test', '=', false),
)

export const deleteSessionRunsOfCheck = query('delete-session-runs-of-check', (k, p: { checkId: string }) =>
  k
    .deleteFrom('check_session_runs')
    .where(
      'session_id',
      'in',
      k
        .selectFrom('check_sessions')
        .select('id')
        .where('check_id', '=', p.checkId)
        .where('is_test', '=', false),
    ),
)
