/**
 * The intake of runs that agents made by themselves while they could not reach us (protocol/standing-order.ts), in one transaction as any
 * other (intake.ts).
 *
 * A due time that nobody has a result of is in one place: a job that waits, a range of awaited runs, or a range of missed ones. The final
 * attempt takes it from there, so that of all who ran it the first one to report counts, once. One that is nowhere is `duplicate` if its result
 * is stored, `later` if the schedule has not come to it yet, and `stale` otherwise: the check is gone, or does not run there any more.
 */
import { type CheckType, queueOf, runLimitMs } from '../../../protocol/check-type.ts'
import { slotIdOf } from '../../../protocol/slot-id.ts'
import type { LateReport } from '../../../protocol/standing-order.ts'
import { refuseNewerStore } from '../../platform/app/newer-store.ts'
import { retentionOf } from '../../platform/retention/settings.ts'
import type { Stamp } from '../../platform/services/clock/stamp.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'
import type { JobsTable } from '../../platform/store/database/tables/runs.ts'
import { checkDocCache } from '../definitions/checks/check-doc-cache.ts'
import { storedResultIds } from '../results/stored/find-results.ts'
import { someResults } from '../results/stored/list-results.ts'
import { awaitRuns, type Range, rangesOfDues, rangeWith, takeDueTimes } from '../schedule/awaited-runs.ts'
import { deleteJobs, findJobs } from '../schedule/job-queries.ts'
import { resultStored } from './announce-first-result.ts'
import { type Attempt, finishedRun, type IntakeApp, judge, nothing, storeAttempts } from './intake.ts'
import { withDocs } from './read-batch.ts'
import type { RetriedCheck } from './retry-of.ts'

type LateOutcome = { jobId: string; outcome: 'accepted' | 'duplicate' | 'stale' | 'refused' | 'later' }

type Place = { id: string; name: string }
type Due = { checkId: string; dueAt: number }

/** `unwell`: it has an alert state. Of a check that is not scheduled any more there is no schedule. */
const checksOfLateRuns = query('checks-of-late-runs', (k, p: { ids: readonly string[] }, engine) =>
  k
    .selectFrom('checks as c')
    .leftJoin('alert_states as a', 'a.check_id', 'c.id')
    .leftJoin('schedules as s', 's.check_id', 'c.id')
    .select(['c.id', 'c.account_id', 'c.type', 'c.name', 'c.group_id', 'c.version'])
    .select(['a.check_id as unwell', 's.next_at', 's.period_ms', 's.runtime_id'])
    .where('c.id', 'in', engine.textList(p.ids)),
)

/** Whoever plans these checks comes before or after this batch: otherwise a due time could be planned while its result is stored. */
const holdPlans = query('hold-plans-of-late-runs', (k, p: { ids: readonly string[] }, engine) =>
  k
    .selectFrom('schedules')
    .select('check_id')
    .where('check_id', 'in', engine.textList(p.ids))
    .orderBy('check_id')
    .forShare(),
)

type LateCheck = {
  id: string
  account_id: string
  type: string
  name: string
  version: number
  unwell: string | null
  next_at: number | null
  period_ms: number | null
  runtime_id: string | null
}

/** Whose reports they are: a location, as its jobs name it. */
type LateBatch = { location: Place; reports: readonly LateReport[] }

export const intakeLateReports = async (
  app: IntakeApp,
  { location, reports }: LateBatch,
): Promise<LateOutcome[]> => {
  const stamp = { now: app.clock.now(), newId: app.newId }
  const bounds = { now: stamp.now, notBefore: stamp.now - retentionOf(app, 'results') }
  const { outcomes, attempts, wake, finals } = await app.db.transaction(async (trx) => {
    await refuseNewerStore(trx)
    const sound = reports.filter((report) => isSound(report, location.id, bounds))
    const known = await readKnown(app, trx, { location, reports: sound })
    const isSoundReport = new Set(sound)
    const intakes = reports.map(
      (report): LateIntake =>
        isSoundReport.has(report) ? intakeOf(report, location, known) : { outcome: 'refused' },
    )
    const accepted = intakes.filter((one) => one.outcome === 'accepted')
    const attempts = accepted.map(({ attempt }) => attempt)
    await takePlaces(trx, accepted, stamp)
    const ended = attempts.length === 0 ? nothing : await storeAttempts(app, trx, attempts, stamp)
    return { outcomes: intakes.map(({ outcome }) => outcome), attempts, ...ended }
  })
  for (const name of new Set([location.id, resultStored, ...wake])) app.wakeups.wake(name)
  app.finishedRuns.publish(attempts.map(finishedRun))
  app.runExport.take(finals)
  return reports.map(({ jobId }, position) => ({ jobId, outcome: outcomes[position] ?? 'refused' }))
}

/** Clocks of agents follow ours, and drift while they do not hear from us. */
const clockSlackMs = 5000

/** Its own words agree, and it is of the past that is still kept. */
const isSound = (
  { jobId, checkId, dueAt, attempt, startedAt, stoppedAt }: LateReport,
  location: string,
  { now, notBefore }: { now: number; notBefore: number },
): boolean =>
  jobId === slotIdOf({ checkId, location, dueAt, attempt }) &&
  dueAt >= notBefore &&
  startedAt >= dueAt - clockSlackMs &&
  stoppedAt >= startedAt &&
  stoppedAt <= now + clockSlackMs

/** What the store knows of a batch. */
type Known = {
  checks: Map<string, LateCheck & RetriedCheck>
  stored: Set<string>
  /** By the id of its first attempt, a run of which something is stored: whether it has its result. */
  begun: Map<string, { isOver: boolean }>
  jobs: Map<string, JobsTable>
  ranges: Range[]
}

const firstIdOf = ({ checkId, dueAt }: Due, location: string): string =>
  slotIdOf({ checkId, location, dueAt, attempt: 1 })

const readKnown = async (app: IntakeApp, trx: Db, { location, reports }: LateBatch): Promise<Known> => {
  const ids = [...new Set(reports.map(({ checkId }) => checkId))]
  if (trx.engine.rowLocks) await trx.all(holdPlans, { ids })
  const rows = await trx.all(checksOfLateRuns, { ids })
  const docs = await withDocs(trx, checkDocCache(app), rows)
  const firstIds = reports.map((report) => firstIdOf(report, location.id))
  const jobs = await trx.all(findJobs, { ids: firstIds })
  const repeated = reports.filter(({ attempt, retried }) => retried || attempt > 1)
  return {
    checks: new Map(
      rows.flatMap((row) => {
        const doc = docs.get(row.id)
        return doc ? [[row.id, { ...row, ...doc }]] : []
      }),
    ),
    stored: await storedResultIds(
      trx,
      reports.map(({ jobId }) => jobId),
    ),
    begun: await begunRuns(trx, repeated, location.id),
    jobs: new Map(jobs.map((job) => [job.id, job])),
    ranges: await rangesOfDues(trx, { location, dues: reports }),
  }
}

/** Runs that were repeated come in several reports, in any order. */
const begunRuns = async (trx: Db, dues: readonly Due[], location: string): Promise<Known['begun']> => {
  const begun: Known['begun'] = new Map()
  for (const due of dues) {
    const sequenceId = firstIdOf(due, location)
    if (begun.has(sequenceId)) continue
    const list = { checkId: due.checkId, direction: 'oldest-first', from: due.dueAt - clockSlackMs } as const
    const filter = { sequenceIds: [sequenceId] }
    const found = await someResults(trx, { ...list, filter }, maxAttempts)
    if (found.length > 0)
      begun.set(sequenceId, { isOver: found.some(({ result_type }) => result_type === 'FINAL') })
  }
  return begun
}

/** More than a run is tried. */
const maxAttempts = 100

type LateIntake =
  | { outcome: Exclude<LateOutcome['outcome'], 'accepted'> }
  | { outcome: 'accepted'; attempt: Attempt; job: JobsTable | undefined; range: Range | undefined }

const intakeOf = (report: LateReport, location: Place, known: Known): LateIntake => {
  const { jobId, checkId, dueAt, retried } = report
  if (known.stored.has(jobId)) return { outcome: 'duplicate' }
  const check = known.checks.get(checkId)
  if (check === undefined) return { outcome: 'stale' }
  const firstId = firstIdOf(report, location.id)
  const job = known.jobs.get(firstId)
  const range = rangeWith(known.ranges, { checkId, dueAt })
  const begun = known.begun.get(firstId)
  const goesOn = begun !== undefined && (retried || !begun.isOver)
  if (job === undefined && range === undefined && !goesOn)
    return { outcome: check.next_at !== null && check.next_at <= dueAt ? 'later' : 'stale' }
  known.stored.add(jobId)
  known.begun.set(firstId, { isOver: !retried || (begun?.isOver ?? false) })
  known.jobs.delete(firstId)
  const replacesMissed = range?.isMissed ?? false
  return { outcome: 'accepted', attempt: attemptOf(report, { location, check, replacesMissed }), job, range }
}

type Facts = { location: Place; check: LateCheck & RetriedCheck; replacesMissed: boolean }

const attemptOf = (report: LateReport, { location, check, replacesMissed }: Facts): Attempt => {
  const row = rowOf(report, location, check)
  return {
    job: row,
    name: check.name,
    origin: row.check_id,
    ...judge(row, report, { ...check, limits: report.judgedBy }),
    retry: null,
    retried: report.retried,
    isWell: check.unwell === null,
    replacesMissed: replacesMissed && !report.retried,
    late: { checkVersion: report.version, replacedMissedRun: replacesMissed },
  }
}

/** The job that it would have been. */
const rowOf = (report: LateReport, location: Place, check: LateCheck): JobsTable => {
  const type = check.type as CheckType
  return {
    id: report.jobId,
    account_id: check.account_id,
    check_id: check.id,
    check_type: type,
    queue: queueOf(type),
    runtime_id: check.runtime_id,
    location: location.id,
    run_location: location.name,
    home: location.id,
    run_source: 'SCHEDULER',
    session_id: '',
    check_run_id: report.dueAt,
    sequence_id: firstIdOf(report, location.id),
    attempt: report.attempt,
    due_at: report.dueAt,
    run_at: report.dueAt,
    expires_at: report.dueAt,
    period_ms: check.period_ms ?? 0,
    deadline_ms: runLimitMs(type),
    fence: report.fence,
    agent_id: null,
    claimed_at: null,
    lease_expires_at: null,
    run_state: null,
    first_started_at: report.firstStartedAt,
    created_at: report.dueAt,
  }
}

type Accepted = Extract<LateIntake, { outcome: 'accepted' }>

/**
 * Ends where the due times of a batch were. A job whose first attempt is known and whose result is still on its way becomes a run that is
 * awaited: nobody shall make it a second time.
 */
const takePlaces = async (trx: Db, accepted: readonly Accepted[], { newId, now }: Stamp): Promise<void> => {
  const finals = accepted.filter(({ attempt }) => !attempt.retried)
  const taken = finals.flatMap(({ range, attempt }) => (range ? [{ range, dueAt: attempt.job.due_at }] : []))
  await takeDueTimes(trx, taken, newId)
  const jobs = accepted.flatMap(({ job }) => job ?? [])
  if (jobs.length > 0) await trx.run(deleteJobs, { ids: jobs.map(({ id }) => id) })
  const over = new Set(finals.map(({ attempt }) => attempt.job.sequence_id))
  await awaitRuns(
    trx,
    jobs
      .filter(({ id }) => !over.has(id))
      .map((job) => ({
        id: newId(),
        accountId: job.account_id,
        checkId: job.check_id,
        location: { id: job.location, name: job.run_location },
        reason: 'CONTROL_PLANE_DOWN' as const,
        detail: 'An agent began this run by itself and did not bring its result.',
        firstDueAt: job.due_at,
        lastDueAt: job.due_at,
        stepMs: job.period_ms,
        count: 1,
        now,
      })),
  )
}
