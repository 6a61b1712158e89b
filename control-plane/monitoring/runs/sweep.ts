/**
 * What happens to jobs that nobody finishes: leases that ran out are offered again, slots overtaken by a run that still
 * executes and jobs that waited too long become missed runs with the reason.
 */

import type { App } from '../../platform/app/app.ts'
import type { HasMetrics } from '../../platform/app/metrics.ts'
import { perApp } from '../../platform/app/per-app.ts'
import type { HasWakeups } from '../../platform/doors/clock/wakeups.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { JobsTable } from '../../platform/store/database/tables/runs.ts'
import { whyUnable } from '../locations/agents/why-unable.ts'
import type { HasConsequences } from '../outcomes/consequences.ts'
import type { HasRunExport } from '../outcomes/run-export.ts'
import { reclaimExpiredLeases } from '../schedule/job-queries.ts'
import { type MissedRunReason, recordMissedRange } from '../schedule/missed-runs.ts'
import { leaseMs } from './leases.ts'
import { lockParallelRuns } from './lock-parallel-runs.ts'
import { blameLostAgent } from './lost-agent.ts'
import { type EndedRun, promoteLastAttempt } from './promote-attempt.ts'
import { runOf } from './result-row.ts'
import {
  allDue,
  endOfWaitingSlice,
  takeExpiredJobs,
  takeOverlappedJobs,
  type WaitingPosition,
  type WaitingSlice,
} from './waiting-jobs.ts'

/** Short transactions: what one of them waits for or loses is little. */
const jobsPerTransaction = 200

/** Jobs that are due and wait may be many thousands, where no agent is: some of them are looked at in a turn. */
const slicesPerTurn = 10
const jobsPerSlice = 1000

const beginning: WaitingPosition = { at: -1, id: '' }
const walkOf = perApp((): { position: WaitingPosition } => ({ position: beginning }))

export const sweepTick = async (app: SweepApp, signal?: AbortSignal): Promise<void> => {
  await sweep(app, signal, reclaimLeases)
  const walk = walkOf(app)
  for (let slices = 0; slices < slicesPerTurn && !signal?.aborted; slices++) {
    const { slice, next } = await nextSlice(app, walk.position)
    await sweep(app, signal, (app, trx, now) => giveUpOverlapped(app, trx, { slice, now }))
    await sweep(app, signal, (app, trx, now) => giveUpExpired(app, trx, { slice, now }))
    walk.position = next ?? beginning
    if (next === null) return
  }
}

/** What is due behind `after`; `next`: where it goes on, null: that is all. */
const nextSlice = async (
  { db, clock }: App,
  after: WaitingPosition,
): Promise<{ slice: WaitingSlice; next: WaitingPosition | null }> => {
  const rest = { ...allDue(clock.now()), afterAt: after.at, afterId: after.id }
  const [next = null] = await db.all(endOfWaitingSlice, { ...rest, skip: jobsPerSlice - 1 })
  return { slice: next === null ? rest : { ...rest, untilAt: next.at, untilId: next.id }, next }
}

type Lost = { slice: WaitingSlice; now: number }

type SweepApp = App & HasConsequences & HasMetrics & HasRunExport & HasWakeups

type Step = (app: SweepApp, trx: Db, now: number) => Promise<Swept>

const sweep = async (app: SweepApp, signal: AbortSignal | undefined, step: Step): Promise<void> => {
  let count = jobsPerTransaction
  while (count === jobsPerTransaction && !signal?.aborted) {
    const swept = await app.db.transaction((trx) => step(app, trx, app.clock.now()))
    noteSwept(app, swept)
    for (const name of new Set(swept.wake)) app.wakeups.wake(name)
    app.runExport.take(swept.finals)
    count = swept.count
  }
}

/** How many jobs one transaction was about, what it wrote of them, and what follows after it. */
type Swept = EndedRun & { count: number; leasesExpired?: number; missed?: MissedRunReason[] }

/** Once it is committed: a transaction may run more than once. */
const noteSwept = ({ metrics }: App & HasMetrics, { leasesExpired = 0, missed = [] }: Swept): void => {
  if (leasesExpired > 0) metrics.leasesExpired.inc(leasesExpired)
  for (const reason of missed) metrics.missedRuns.inc({ reason })
}

/** A lease is found to have run out so much later at most, as long as this loop turns. */
const sweptLateMs = 5000

const reclaimLeases = async (_: App, trx: Db, now: number): Promise<Swept> => {
  const jobs = await trx.all(reclaimExpiredLeases, {
    now,
    waitUntil: now + leaseMs,
    limit: jobsPerTransaction,
  })
  await blameLostAgent(trx, jobs, now - leaseMs - sweptLateMs)
  return {
    count: jobs.length,
    wake: jobs.map(({ location }) => location),
    finals: [],
    leasesExpired: jobs.length,
  }
}

const giveUpOverlapped = async (
  app: App & HasConsequences,
  trx: Db,
  { slice, now }: Lost,
): Promise<Swept> => {
  const jobs = await trx.all(takeOverlappedJobs, { ...slice, limit: jobsPerTransaction })
  const given: GivenUp[] = []
  for (const job of jobs) given.push(await missed(trx, app, job, { why: overlap, now }))
  return sweptOf(given)
}

const giveUpExpired = async (app: App & HasConsequences, trx: Db, { slice, now }: Lost): Promise<Swept> => {
  const jobs = await trx.all(takeExpiredJobs, { ...slice, now, limit: jobsPerTransaction })
  const given: GivenUp[] = []
  for (const job of jobs)
    given.push(await missed(trx, app, job, { why: await whyNobodyCame(trx, job, now), now }))
  return sweptOf(given)
}

const sweptOf = (given: readonly GivenUp[]): Swept => ({
  count: given.length,
  wake: given.flatMap(({ wake }) => wake),
  finals: given.flatMap(({ finals }) => finals),
  missed: given.flatMap(({ missed }) => missed ?? []),
})

const overlap = { reason: 'OVERLAP', detail: 'The previous run was still executing.' } as const

type Why = { reason: MissedRunReason; detail: string }

const whyNobodyCame = async (trx: Db, job: JobsTable, now: number): Promise<Why> => {
  const { location, run_location: locationName, check_type: checkType, runtime_id: runtimeId } = job
  const unable = await whyUnable(trx, { location, locationName, checkType, runtimeId }, now)
  if (unable !== null) return { reason: 'NO_AGENT', detail: unable.detail }
  return {
    reason: 'EXPIRED',
    detail: `No agent in location "${locationName}" was free before the run had to be given up.`,
  }
}

/** What became of a job that will not be run: what follows, and why its run was missed, if it was. */
type GivenUp = EndedRun & { missed: MissedRunReason | null }

/**
 * Records that a job will not be run, which may end a session. A run whose retry nobody came for was run all the same: its
 * last attempt is its final result.
 */
export const missed = async (
  trx: Db,
  app: App & HasConsequences,
  job: JobsTable,
  { why: { reason, detail }, now }: { why: Why; now: number },
): Promise<GivenUp> => {
  const stamp = { now, newId: app.newId }
  await lockParallelRuns(trx, [job.check_id])
  if (job.attempt > 1) return { ...(await promoteLastAttempt(app, trx, job, stamp)), missed: null }
  const missedRunId = app.newId()
  await recordMissedRange(trx, {
    id: missedRunId,
    accountId: job.account_id,
    checkId: job.check_id,
    location: { name: job.run_location },
    reason,
    detail,
    firstDueAt: job.due_at,
    lastDueAt: job.due_at,
    stepMs: job.period_ms,
    count: 1,
    now,
  })
  const due = { ...runOf(job), missedRunId, dueAt: job.due_at, reason }
  return { wake: await app.consequences.onMissedRun(trx, due, stamp), finals: [], missed: reason }
}
