/**
 * What happens to jobs that nobody finishes: leases that ran out are offered again, slots overtaken by a run that still
 * executes and jobs that waited too long become missed runs with the reason.
 */

import type { App } from '../../platform/app/app.ts'
import type { HasMetrics } from '../../platform/app/metrics.ts'
import { perApp } from '../../platform/app/per-app.ts'
import type { Stamp } from '../../platform/services/clock/stamp.ts'
import type { HasWakeups } from '../../platform/services/clock/wakeups.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { JobsTable, OutagesTable } from '../../platform/store/database/tables/runs.ts'
import { inEnglish } from '../../platform/words/told.ts'
import { whyUnable } from '../locations/agents/why-unable.ts'
import type { FinalResult, HasConsequences } from '../outcomes/consequences.ts'
import type { HasRunExport } from '../outcomes/run-export.ts'
import { type AwaitedRun, awaitRuns } from '../schedule/awaited-runs.ts'
import { reclaimExpiredLeases } from '../schedule/job-queries.ts'
import {
  type MissedRun,
  type MissedRunReason,
  overlap,
  recordMissedRanges,
  scheduleMetrics,
} from '../schedule/missed-runs.ts'
import { locationsWithOrders } from '../schedule/order-holders.ts'
import { wasClaimed } from '../schedule/schedule.ts'
import { whyNoControlPlane } from '../schedule/why-no-control-plane.ts'
import { leaseMs } from './leases.ts'
import { lockParallelRuns } from './lock-parallel-runs.ts'
import { blameLostAgent } from './lost-agent.ts'
import { missedJob } from './missed-job.ts'
import { outageOf, rememberedOutages } from './outages.ts'
import { type EndedRun, promoteLastAttempt } from './promote-attempt.ts'
import { runOf } from './result-row.ts'
import { runMetrics } from './run-metrics.ts'
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

/** `knownUntil`: what ends later is left to the next turn (recover.ts). */
export const sweepTick = async (
  app: SweepApp,
  signal?: AbortSignal,
  knownUntil = Number.POSITIVE_INFINITY,
): Promise<void> => {
  const within = { signal, knownUntil }
  await sweep(app, within, reclaimLeases)
  const walk = walkOf(app)
  for (let slices = 0; slices < slicesPerTurn && !signal?.aborted; slices++) {
    const { slice, next } = await nextSlice(app, walk.position)
    await sweep(app, within, (app, trx, now) => giveUpOverlapped(app, trx, { slice, now }))
    await sweep(app, within, (app, trx, now) => giveUpExpired(app, trx, { slice, now }))
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

type Within = { signal: AbortSignal | undefined; knownUntil: number }

const sweep = async (app: SweepApp, { signal, knownUntil }: Within, step: Step): Promise<void> => {
  let count = jobsPerTransaction
  while (count === jobsPerTransaction && !signal?.aborted) {
    const swept = await app.db.transaction((trx) => step(app, trx, Math.min(app.clock.now(), knownUntil)))
    noteSwept(app, swept)
    for (const name of new Set(swept.wake)) app.wakeups.wake(name)
    app.runExport.take(swept.finals.filter(({ isTest }) => !isTest))
    count = swept.count
  }
}

/** How many jobs one transaction was about, what it wrote of them, and what follows after it. */
type Swept = EndedRun & { count: number; leasesExpired?: number; missed?: MissedRunReason[] }

/** Once it is committed: a transaction may run more than once. */
const noteSwept = (app: HasMetrics, { leasesExpired = 0, missed = [] }: Swept): void => {
  if (leasesExpired > 0) runMetrics.leasesExpired(app).inc(leasesExpired)
  for (const reason of missed) scheduleMetrics.missedRuns(app).inc({ reason })
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
  return giveUp(app, trx, { given: jobs.map((job) => ({ job, why: overlap })), now })
}

const giveUpExpired = async (app: App & HasConsequences, trx: Db, { slice, now }: Lost): Promise<Swept> => {
  const jobs = await trx.all(takeExpiredJobs, { ...slice, now, limit: jobsPerTransaction })
  const outages = jobs.length === 0 ? [] : await trx.all(rememberedOutages, {})
  const whyUnclaimed = explained(trx, now)
  const given: GivenUp[] = []
  for (const job of jobs) {
    const outage = outageOf(outages, { dueAt: job.due_at, expiresAt: job.expires_at })
    given.push({ job, why: outage === undefined ? await whyUnclaimed(job) : whyDown(app, outage) })
  }
  return giveUp(app, trx, { given, now })
}

type Why = { reason: MissedRunReason; detail: string }

const whyDown = (app: App, { since: from, ended_at: to }: OutagesTable): Why => ({
  reason: 'CONTROL_PLANE_DOWN',
  detail: whyNoControlPlane(app, { from, to }),
})

/** Asked once for all jobs of a batch that the same agents could have run. */
const explained = (trx: Db, now: number): ((job: JobsTable) => Promise<Why>) => {
  const known = new Map<string, Why>()
  return async (job) => {
    const of = JSON.stringify([job.location, job.check_type, job.runtime_id])
    const why = known.get(of) ?? (await whyNobodyCame(trx, job, now))
    known.set(of, why)
    return why
  }
}

const whyNobodyCame = async (trx: Db, job: JobsTable, now: number): Promise<Why> => {
  const { location, run_location: locationName, check_type: checkType, runtime_id: runtimeId } = job
  const unable = await whyUnable(trx, { location, locationName, checkType, runtimeId }, now)
  if (unable !== null) return { reason: 'NO_AGENT', detail: inEnglish(unable.detail) }
  return {
    reason: 'EXPIRED',
    detail: `No agent in location "${locationName}" was free before the run had to be given up.`,
  }
}

/** A job that will not be run. */
type GivenUp = { job: JobsTable; why: Why }

/**
 * Records that jobs will not be run, which may end sessions. A run whose retry nobody came for was run all the same: its
 * last attempt is its final result.
 */
const giveUp = async (
  app: App & HasConsequences,
  trx: Db,
  { given, now }: { given: readonly GivenUp[]; now: number },
): Promise<Swept> => {
  const stamp = { now, newId: app.newId }
  await lockParallelRuns(
    trx,
    given.map(({ job }) => job.check_id),
  )
  const { missed, awaited } = await withoutAwaited(
    trx,
    given.filter(({ job }) => job.attempt === 1),
  )
  await awaitRuns(
    trx,
    awaited.map((one) => awaitedRunOf(one, stamp)),
  )
  const wake = await recordMissedJobs(app, trx, missed, stamp)
  const finals: FinalResult[] = []
  for (const { job } of given) {
    if (job.attempt === 1) continue
    const ended = await promoteLastAttempt(app, trx, job, stamp)
    wake.push(...ended.wake)
    finals.push(...ended.finals)
  }
  return { count: given.length, wake, finals, missed: missed.map(({ why }) => why.reason) }
}

/** Of what an outage kept from being claimed, an agent with standing orders may have run what is the schedule's. */
const withoutAwaited = async (
  trx: Db,
  given: readonly GivenUp[],
): Promise<{ missed: GivenUp[]; awaited: GivenUp[] }> => {
  const mayBe = given.filter(
    ({ job, why }) => why.reason === 'CONTROL_PLANE_DOWN' && job.session_id === '' && !wasClaimed(job),
  )
  const since = mayBe.reduce((min, { job }) => Math.min(min, job.due_at), Number.POSITIVE_INFINITY)
  const held = await locationsWithOrders(
    trx,
    mayBe.map(({ job }) => job.location),
    since,
  )
  const awaited = new Set(mayBe.filter(({ job }) => held.has(job.location)))
  return { missed: given.filter((one) => !awaited.has(one)), awaited: [...awaited] }
}

const awaitedRunOf = ({ job, why }: GivenUp, stamp: Stamp): AwaitedRun => ({
  ...missedRunOf(job, why, stamp),
  location: { id: job.location, name: job.run_location },
})

const recordMissedJobs = async (
  app: HasConsequences,
  trx: Db,
  given: readonly GivenUp[],
  stamp: Stamp,
): Promise<string[]> => {
  if (given.length === 0) return []
  await recordMissedRanges(
    trx,
    given.map(({ job, why }) => missedRunOf(job, why, stamp)),
  )
  const due = given.map(({ job, why: { reason } }) => ({
    ...runOf(job),
    missedRunId: job.id,
    dueAt: job.due_at,
    reason,
  }))
  return [...(await app.consequences.onMissedRuns(trx, due, stamp))]
}

/** By the id of its job, which a result of it would have as well. */
const missedRunOf = (job: JobsTable, why: Why, { now }: Pick<Stamp, 'now'>): MissedRun => ({
  id: job.id,
  accountId: job.account_id,
  checkId: job.check_id,
  location: { name: job.run_location },
  ...why,
  firstDueAt: job.due_at,
  lastDueAt: job.due_at,
  stepMs: job.period_ms,
  count: 1,
  job: wasClaimed(job) ? missedJob.write(job) : null,
  now,
})
