import type { Db } from '../../platform/store/database/db.ts'
import { freeRows } from '../../platform/store/database/free-rows.ts'
import { query } from '../../platform/store/database/query.ts'
import { rowStatement, runForRows } from '../../platform/store/database/row-statement.ts'

type NewJob = {
  id: string
  accountId: string
  checkId: string
  checkType: string
  queue: string
  runtimeId: string | null
  location: string
  runLocation: string
  /** The location whose due time it is. */
  home: string
  runSource: string
  sessionId: string
  checkRunId: number
  sequenceId: string
  attempt: number
  dueAt: number
  runAt: number
  expiresAt: number
  periodMs: number
  deadlineMs: number
  /** What its claims count from. */
  fence: number
  /** Of the first attempt; null for that one itself. */
  firstStartedAt: number | null
  now: number
}

const jobRows = rowStatement({
  name: 'insert-job',
  table: 'jobs',
  valuesOf: (p: NewJob) => ({
    id: p.id,
    account_id: p.accountId,
    check_id: p.checkId,
    check_type: p.checkType,
    queue: p.queue,
    runtime_id: p.runtimeId,
    location: p.location,
    run_location: p.runLocation,
    home: p.home,
    run_source: p.runSource,
    session_id: p.sessionId,
    check_run_id: p.checkRunId,
    sequence_id: p.sequenceId,
    attempt: p.attempt,
    due_at: p.dueAt,
    run_at: p.runAt,
    expires_at: p.expiresAt,
    period_ms: p.periodMs,
    deadline_ms: p.deadlineMs,
    fence: p.fence,
    agent_id: null,
    claimed_at: null,
    lease_expires_at: null,
    run_state: null,
    first_started_at: p.firstStartedAt,
    created_at: p.now,
  }),
})

export const insertJob = jobRows.one

export const insertJobs = (trx: Db, jobs: readonly NewJob[]): Promise<void> => runForRows(trx, jobRows, jobs)

/** Locked in the order of their ids, so that two batches with the same jobs cannot deadlock. */
export const findJobs = query('find-jobs', (k, p: { ids: readonly string[] }, engine) => {
  const jobs = k.selectFrom('jobs').selectAll().where('id', 'in', engine.textList(p.ids))
  return engine.rowLocks ? jobs.orderBy('id').forUpdate() : jobs
})

/** Of these jobs those that nobody else holds. */
export const findFreeJobs = query('find-free-jobs', (k, p: { ids: readonly string[] }, engine) =>
  freeRows(engine, k.selectFrom('jobs').selectAll().where('id', 'in', engine.textList(p.ids)).orderBy('id')),
)

export const existingJobs = query('existing-jobs', (k, p: { ids: readonly string[] }, engine) =>
  k.selectFrom('jobs').select('id').where('id', 'in', engine.textList(p.ids)),
)

export const deleteJobs = query('delete-jobs', (k, p: { ids: readonly string[] }, engine) =>
  k.deleteFrom('jobs').where('id', 'in', engine.textList(p.ids)),
)

export const deleteJob = query('delete-job', (k, p: { id: string }) =>
  k.deleteFrom('jobs').where('id', '=', p.id),
)

/** Leases that ran out: the job waits again, and long enough to be taken over. What others hold is left for the next time. */
export const reclaimExpiredLeases = query(
  'reclaim-expired-leases',
  (k, p: { now: number; waitUntil: number; limit: number }, engine) => {
    const expired = k
      .selectFrom('jobs as j')
      .select('j.id')
      .where('j.agent_id', 'is not', null)
      .where('j.lease_expires_at', '<=', p.now)
      .orderBy('j.lease_expires_at')
      .limit(p.limit)
    return k
      .updateTable('jobs')
      .set((set) => ({
        agent_id: null,
        claimed_at: null,
        lease_expires_at: null,
        run_state: null,
        expires_at: set
          .case()
          .when('expires_at', '>', p.waitUntil)
          .then(set.ref('expires_at'))
          .else(p.waitUntil)
          .end(),
      }))
      .where('id', 'in', freeRows(engine, expired))
      .returning(['location', 'check_id', 'run_location'])
  },
)

/** `claimedBefore`: before the end of the outage. */
type LeasesOfOutage = { claimedBefore: number }

/**
 * Leases could not be renewed while the control plane was down: nobody loses a job for that, nor counts as hung. Which
 * of their runs have finished meanwhile, agents say when they renew them.
 */
export const extendLeases = query(
  'extend-leases',
  (k, p: LeasesOfOutage & { now: number; leaseExpiresAt: number; limit: number }, engine) => {
    const held = k
      .selectFrom('jobs as j')
      .select('j.id')
      .where('j.agent_id', 'is not', null)
      .where('j.claimed_at', '<', p.claimedBefore)
      .limit(p.limit)
    return k
      .updateTable('jobs')
      .set((set) => ({
        claimed_at: p.now,
        lease_expires_at: p.leaseExpiresAt,
        run_state: set
          .case()
          .when('run_state', '=', 'finished')
          .then('finished' as const)
          .else(null)
          .end(),
      }))
      .where('id', 'in', freeRows(engine, held))
  },
)

/** Whether there is one of these left. */
export const heldSince = query('held-since', (k, p: LeasesOfOutage) =>
  k
    .selectFrom('jobs')
    .select('id')
    .where('agent_id', 'is not', null)
    .where('claimed_at', '<', p.claimedBefore)
    .limit(1),
)

export const sessionJobsOfCheck = query('session-jobs-of-check', (k, p: { checkId: string }) =>
  k
    .selectFrom('jobs')
    .select(['sequence_id', 'session_id'])
    .where('check_id', '=', p.checkId)
    .where('session_id', '<>', ''),
)

/** Of the schedule and of every session. */
export const deleteJobsOfCheck = query('delete-jobs-of-check', (k, p: { checkId: string }) =>
  k.deleteFrom('jobs').where('check_id', '=', p.checkId),
)
