import { playwrightTypes } from '../../../protocol/check-type.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { integer, text } from '../../platform/store/database/ddl.ts'
import type { Engine } from '../../platform/store/database/engines.ts'
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
    fence: 0,
    agent_id: null,
    claimed_at: null,
    lease_expires_at: null,
    first_started_at: p.firstStartedAt,
    created_at: p.now,
  }),
})

export const insertJob = jobRows.one

export const insertJobs = (trx: Db, jobs: readonly NewJob[]): Promise<void> => runForRows(trx, jobRows, jobs)

/** A cheap look before a claim's write: most long polls find nothing. */
export const anyWaitingJob = query(
  'any-waiting-job',
  (k, p: { location: string; queue: string; horizon: number }) =>
    k
      .selectFrom('jobs')
      .select('id')
      .where('location', '=', p.location)
      .where('queue', '=', p.queue)
      .where('agent_id', 'is', null)
      .where('run_at', '<=', p.horizon)
      .limit(1),
)

type Claim = {
  location: string
  queue: string
  agentId: string
  checkTypes: readonly string[]
  runtimeIds: readonly string[]
  /** Of these, those in which it runs types that need Playwright. */
  playwrightRuntimeIds: readonly string[]
  now: number
  horizon: number
  leaseExpiresAt: number
  limit: number
}

/**
 * Takes waiting jobs, oldest first: only the earliest one of a check, home and session, and none whose predecessor is still
 * executing or waits for its retry. `fence` grows with every claim.
 */
export const claimWaitingJobs = query('claim-waiting-jobs', (k, p: Claim, engine) => {
  const candidates = k
    .selectFrom('jobs as j')
    .select('j.id')
    .where('j.location', '=', p.location)
    .where('j.queue', '=', p.queue)
    .where('j.agent_id', 'is', null)
    .where('j.run_at', '<=', p.horizon)
    .where('j.expires_at', '>', p.now)
    .where('j.check_type', 'in', engine.textList(p.checkTypes))
    .where((where) =>
      where.or([
        where('j.runtime_id', 'is', null),
        where('j.runtime_id', 'in', engine.textList(p.playwrightRuntimeIds)),
        where.and([
          where('j.runtime_id', 'in', engine.textList(p.runtimeIds)),
          where('j.check_type', 'not in', [...playwrightTypes]),
        ]),
      ]),
    )
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('jobs as o')
            .select('o.id')
            .whereRef('o.check_id', '=', 'j.check_id')
            .whereRef('o.home', '=', 'j.home')
            .whereRef('o.session_id', '=', 'j.session_id')
            .where((other) =>
              other.or([other('o.agent_id', 'is not', null), other('o.due_at', '<', other.ref('j.due_at'))]),
            ),
        ),
      ),
    )
    .orderBy('j.run_at')
    .limit(p.limit)
  return k
    .updateTable('jobs')
    .set((set) => ({
      agent_id: p.agentId,
      fence: set('fence', '+', 1),
      claimed_at: p.now,
      lease_expires_at: p.leaseExpiresAt,
    }))
    .where('id', 'in', freeRows(engine, candidates))
    .returningAll()
})

/** Ids of agents are their own choice: the location is that of the key they come with. */
type HeldLeases = { leases: readonly HeldLease[]; location: string; agentId: string }
type HeldLease = { id: string; fence: number }

const leaseRows = (engine: Engine, leases: readonly HeldLease[]) =>
  engine.rowList(leases, { id: text, fence: integer }).$castTo<HeldLease>().as('r')

/**
 * A lease can be renewed while it is the agent's and the attempt may still be running: an agent that hangs past the
 * attempt's hard limit does not keep its job (`startedBefore`: now less a margin). Returns those that were.
 */
export const renewHeldLeases = query(
  'renew-leases',
  (k, p: HeldLeases & { leaseExpiresAt: number; startedBefore: number }, engine) =>
    k
      .updateTable('jobs')
      .from(leaseRows(engine, p.leases))
      .set({ lease_expires_at: p.leaseExpiresAt })
      .whereRef('jobs.id', '=', 'r.id')
      .whereRef('jobs.fence', '=', 'r.fence')
      .where('jobs.location', '=', p.location)
      .where('jobs.agent_id', '=', p.agentId)
      .where((where) =>
        where.or([
          where(where('jobs.claimed_at', '+', where.ref('jobs.deadline_ms')), '>', p.startedBefore),
          where(where('jobs.run_at', '+', where.ref('jobs.deadline_ms')), '>', p.startedBefore),
        ]),
      )
      .returning('jobs.id'),
)

export const releaseHeldLeases = query('release-leases', (k, p: HeldLeases, engine) =>
  k
    .updateTable('jobs')
    .from(leaseRows(engine, p.leases))
    .set({ agent_id: null, claimed_at: null, lease_expires_at: null })
    .whereRef('jobs.id', '=', 'r.id')
    .whereRef('jobs.fence', '=', 'r.fence')
    .where('jobs.location', '=', p.location)
    .where('jobs.agent_id', '=', p.agentId)
    .returning('jobs.location'),
)

/** Everything an earlier life of an agent held. */
export const releaseAgent = query('release-agent', (k, p: { agentId: string; location: string }) =>
  k
    .updateTable('jobs')
    .set({ agent_id: null, claimed_at: null, lease_expires_at: null })
    .where('agent_id', '=', p.agentId)
    .where('location', '=', p.location)
    .returning(['check_id', 'run_location']),
)

/** Locked in the order of their ids, so that two batches with the same jobs cannot deadlock. */
export const findJobs = query('find-jobs', (k, p: { ids: readonly string[] }, engine) => {
  const jobs = k.selectFrom('jobs').selectAll().where('id', 'in', engine.textList(p.ids))
  return engine.rowLocks ? jobs.orderBy('id').forUpdate() : jobs
})

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

/** Leases could not be renewed while the control plane was down: nobody loses a job for that, nor counts as hung. */
export const extendLeases = query('extend-leases', (k, p: { now: number; leaseExpiresAt: number }) =>
  k
    .updateTable('jobs')
    .set({ claimed_at: p.now, lease_expires_at: p.leaseExpiresAt })
    .where('agent_id', 'is not', null)
    .where('lease_expires_at', '<', p.leaseExpiresAt),
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
