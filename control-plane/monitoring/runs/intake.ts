/**
 * The intake of outcomes: report → verdict → stored result, in one transaction with the end of its job.
 *
 *   1. What the store knows of the batch is read with a few queries, parallel runs locked first.
 *   2. The job is found: it is the right to write a result. Without it the report is a `duplicate` or `stale`.
 *   3. The outcome is checked against its type's schema and judged: a verdict, and a sentence if it is bad.
 *   4. A bad one may have a retry left: then it is an `ATTEMPT`, otherwise it is `FINAL`.
 *   5. The results are stored, and the files that were announced with them are expected.
 *   6. The retries are written, and what follows from final results follows (control-plane/consequences.ts).
 *   7. Results that are late for their hour are noted, and the jobs of the batch end. After the commit, whoever waits is woken, whoever counts is told, and final results are exported.
 *
 * Each step is done for the whole batch before the next one, so that what most runs need is one statement for all of them.
 *
 * Invariant: a result is accepted once. The job's row, or the record of its missed run (missed-job.ts), is deleted with the
 * result; a repeat finds the result (`duplicate`), a stale lease finds a newer fence or nothing at all (`stale`).
 */

import type { ReportResponse } from '../../../protocol/agent-api.ts'
import type { CheckType } from '../../../protocol/check-type.ts'
import { errorMessageOf } from '../../../protocol/error-message.ts'
import { evaluate, type Judgement } from '../../../protocol/evaluate.ts'
import { isTestRun } from '../../../protocol/job.ts'
import type { Report } from '../../../protocol/result.ts'
import type { Retry } from '../../../protocol/retry.ts'
import type { Verdict } from '../../../protocol/verdict.ts'
import type { App } from '../../platform/app/app.ts'
import { refuseNewerStore } from '../../platform/app/newer-store.ts'
import { type HasRetention, retentionOf } from '../../platform/retention/settings.ts'
import type { Stamp } from '../../platform/services/clock/stamp.ts'
import type { HasWakeups } from '../../platform/services/clock/wakeups.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { JobsTable } from '../../platform/store/database/tables/runs.ts'
import type { HasAllowances } from '../artifacts/allowances.ts'
import { expectArtifacts } from '../artifacts/expect-artifacts.ts'
import { groupsById } from '../definitions/check-groups/queries.ts'
import { type GroupDoc, groupDoc } from '../definitions/check-groups/schema.ts'
import { checkDocCache } from '../definitions/checks/check-doc-cache.ts'
import { kindOf } from '../definitions/checks/types/index.ts'
import type { FinalResult, HasConsequences } from '../outcomes/consequences.ts'
import type { FinishedRun, HasFinishedRuns } from '../outcomes/finished-runs.ts'
import type { HasRunExport } from '../outcomes/run-export.ts'
import { noteLateResults } from '../results/rollups/late-results.ts'
import { deleteJobs } from '../schedule/job-queries.ts'
import { resultStored } from './announce-first-result.ts'
import { checkedOutcome } from './checked-outcome.ts'
import { errorGroupIdOf } from './error-group-id.ts'
import { deleteMissedJobs } from './missed-job.ts'
import type { EndedRun } from './promote-attempt.ts'
import { type Batch, type RunningDoc, readBatch } from './read-batch.ts'
import { atItsTime } from './report-instants.ts'
import { insertResults, type NewResult } from './result-queries.ts'
import { type LateFacts, resultRow, runOf } from './result-row.ts'
import { type RetriedCheck, retryOf } from './retry-of.ts'
import { undisturbedOutcome } from './undisturbed-outcome.ts'
import { writeRetries } from './write-retries.ts'

export type IntakeApp = App &
  HasAllowances &
  HasConsequences &
  HasFinishedRuns &
  HasRetention<'results' | 'details'> &
  HasRunExport &
  HasWakeups

type Outcomes = ReportResponse['outcomes']
type Outcome = Outcomes[number]['outcome']

export const intakeReports = async (
  app: IntakeApp,
  location: string,
  reports: Report[],
  { passLocked = false }: { passLocked?: boolean } = {},
): Promise<Outcomes> => {
  const stamp = { now: app.clock.now(), newId: app.newId }
  const missedSince = stamp.now - retentionOf(app, 'results')
  const { outcomes, attempts, wake, finals } = await app.db.transaction(async (trx) => {
    await refuseNewerStore(trx)
    const batch = await readBatch(trx, checkDocCache(app), { reports, passLocked, missedSince })
    const known = reports.map((report) => judgeReport({ report, location, batch, now: stamp.now }))
    const groups = await groupsOfFailed(trx, known)
    const intakes = known.map((one) => (one.judged === null ? one : accept(one.judged, batch, groups)))
    const attempts = intakes.flatMap(({ attempt }) => attempt ?? [])
    const ended = attempts.length === 0 ? nothing : await storeAttempts(app, trx, attempts, stamp)
    return { outcomes: intakes.map(({ outcome }) => outcome), attempts, ...ended }
  })
  // A finished run may be what the next one of its check was waiting for.
  for (const name of new Set([location, resultStored, ...wake])) app.wakeups.wake(name)
  // What tests find out is no measurement of a check.
  app.finishedRuns.publish(attempts.filter(({ job }) => !isTestRun(job.run_source)).map(finishedRun))
  app.runExport.take(finals.filter(({ isTest }) => !isTest))
  return reports.map(({ jobId }, position) => ({ jobId, outcome: outcomes[position] ?? 'refused' }))
}

export const nothing: EndedRun = { wake: [], finals: [] }

/** Writes what was accepted. */
export const storeAttempts = async (
  app: IntakeApp,
  trx: Db,
  attempts: readonly Attempt[],
  stamp: Stamp,
): Promise<EndedRun> => {
  const { now } = stamp
  const rows = attempts.map((attempt) => rowOf(attempt, now))
  await insertResults(trx, rows)
  const missed = attempts.filter(({ replacesMissed, late }) => replacesMissed && late === null)
  if (missed.length > 0) await trx.run(deleteMissedJobs, { ids: missed.map(({ job }) => job.id) })
  for (const attempt of attempts) await expectFiles(app, trx, attempt, now)
  const wake = await writeRetries(
    trx,
    attempts.flatMap(({ job, report: { startedAt }, retry }) =>
      retry === null ? [] : [{ job, startedAt, retry }],
    ),
    stamp,
  )
  const finals = attempts.filter(({ retried }) => !retried).map(finalResult)
  wake.push(...(await app.consequences.onFinalResults(trx, finals, stamp)))
  await noteLateResults(trx, rows)
  await trx.run(deleteJobs, { ids: attempts.map(({ job }) => job.id) })
  return { wake, finals }
}

type ReportInBatch = { report: Report; location: string; batch: Batch; now: number }

/** What one report leads to; `attempt`: what is to be stored of an accepted one. */
type Intake = { outcome: Outcome; attempt?: Attempt }

/** `judged`: null for what is not accepted. */
type KnownReport = Intake & { judged: JudgedRun | null }

type JudgedRun = JudgedReport & { job: JobsTable; check: RunningDoc; replacesMissed: boolean }

const judgeReport = ({ report, location, batch, now }: ReportInBatch): KnownReport => {
  const job = batch.jobs.get(report.jobId)
  if (job === undefined) return { outcome: withoutJob(batch, report.jobId), judged: null }
  const check = batch.checks.get(job.check_id)
  const replacesMissed = batch.missed.has(job.id)
  if (job.location !== location || check === undefined || !isOfItsFence(job, report, replacesMissed))
    return { outcome: 'stale', judged: null }
  // The same report again in this batch finds a result and no job, as it would in the next one.
  batch.jobs.delete(job.id)
  batch.stored.add(job.id)
  const judged = judge(job, atItsTime(report, { dueAt: job.due_at, now }), check)
  return { outcome: 'accepted', judged: { ...judged, job, check, replacesMissed } }
}

/** Groups have a say in whether a failure is tried again. */
const groupsOfFailed = async (
  trx: Db,
  reports: readonly KnownReport[],
): Promise<ReadonlyMap<number, GroupDoc>> => {
  const failed = reports.flatMap(({ judged }) =>
    judged === null || judged.error === null || judged.check.groupId === null
      ? []
      : [{ accountId: judged.job.account_id, groupId: judged.check.groupId }],
  )
  const [accounts, ids] = [
    new Set(failed.map((one) => one.accountId)),
    new Set(failed.map((one) => one.groupId)),
  ]
  const rows = await groupsById(trx, [...accounts], [...ids])
  return new Map(rows.map(({ id, doc }) => [id, groupDoc.read(doc)]))
}

/** One after the other: whether a check is well depends on those before. */
const accept = (judged: JudgedRun, batch: Batch, groups: ReadonlyMap<number, GroupDoc>): Intake => {
  const { job, check, replacesMissed, ...own } = judged
  const group = check.groupId === null ? null : (groups.get(check.groupId) ?? null)
  // Most runs are well; the time to try a missed one again is over.
  const retry =
    own.error === null || replacesMissed ? null : retryOf({ job, report: own.report, check, group })
  const isWell = !batch.unwell.has(job.check_id)
  const retried = retry !== null
  if (!retried && (own.verdict.hasFailures || own.verdict.isDegraded)) batch.unwell.add(job.check_id)
  const { name, origin = job.check_id } = check
  const attempt = { job, name, origin, ...own, retry, retried, isWell, replacesMissed, late: null }
  return { outcome: 'accepted', attempt }
}

const withoutJob = ({ locked, stored }: Batch, jobId: string): Outcome => {
  if (locked.has(jobId)) return 'later'
  return stored.has(jobId) ? 'duplicate' : 'stale'
}

/** A run that was missed by everybody is the first one's who measured it: nobody has a newer claim to it. */
const isOfItsFence = (job: JobsTable, { fence }: Report, replacesMissed: boolean): boolean =>
  replacesMissed ? fence >= 1 && fence <= job.fence : fence === job.fence

/** A report whose outcome fits its type; `error`: why it is bad, in one sentence. */
type JudgedReport = { report: Report; verdict: Verdict; error: string | null }

/**
 * A judged attempt of a check; `origin`: the check, or that which a test copied; `retry`: the one to write, `retried`: there is or was another; `isWell`: the check was, before it; `replacesMissed`: its run
 * was recorded as missed; `late`: of one that an agent made by itself, what its result says of that.
 */
export type Attempt = JudgedReport & {
  job: JobsTable
  name: string
  origin: string
  retry: Retry | null
  retried: boolean
  isWell: boolean
  replacesMissed: boolean
  late: LateFacts | null
}

const noLimits: Judgement = { degradedResponseTime: null, maxResponseTime: null }

/** `limits`: other than those that the check has now. */
export const judge = (
  job: JobsTable,
  reported: Report,
  check: RetriedCheck & { limits?: Judgement },
): JudgedReport => {
  const checked = checkedOutcome(job.check_type as CheckType, reported.outcome)
  const outcome = undisturbedOutcome(checked, check.doc)
  const report = { ...reported, outcome }
  const limits = kindOf(job.check_type).keepsResponseTimes ? noLimits : (check.limits ?? check.doc)
  const verdict = evaluate(outcome, limits)
  return { report, verdict, error: errorMessageOf(outcome, verdict, limits) }
}

const isFinalFailure = ({ error, retried }: Attempt): boolean => error !== null && !retried

const rowOf = (attempt: Attempt, now: number): NewResult => {
  const { job, report, name, verdict, error, retried, late } = attempt
  const errorGroupIds = isFinalFailure(attempt)
    ? [errorGroupIdOf(attempt.origin, error ?? '', isTestRun(job.run_source))]
    : []
  return resultRow(job, report, { verdict, name, error, errorGroupIds, retried, late, now })
}

const expectFiles = async (app: IntakeApp, trx: Db, attempt: Attempt, now: number): Promise<void> => {
  const { job, report } = attempt
  if (report.artifacts === undefined) return
  await expectArtifacts(trx, job, {
    notes: report.artifacts,
    isFailure: isFinalFailure(attempt),
    allowances: app.config.artifactAllowances,
    retention: app.config.retention,
    now,
  })
}

export const finishedRun = ({ job, report, verdict, retried, late }: Attempt): FinishedRun => {
  const observation = report.outcome.kind === 'observed' ? report.outcome.observation : null
  return {
    id: job.id,
    accountId: job.account_id,
    checkId: job.check_id,
    checkType: job.check_type,
    location: job.run_location,
    isFinal: !retried,
    arrivedLate: late !== null,
    verdict,
    dueAt: job.due_at,
    startedAt: report.startedAt,
    stoppedAt: report.stoppedAt,
    metrics: observation?.metrics ?? {},
    detail: observation?.detail ?? null,
  }
}

const finalResult = ({
  job,
  name,
  origin,
  report,
  verdict,
  error,
  isWell,
  replacesMissed,
  late,
}: Attempt): FinalResult => ({
  ...runOf(job),
  resultId: job.id,
  originId: origin,
  checkName: name,
  verdict,
  startedAt: report.startedAt,
  stoppedAt: report.stoppedAt,
  error,
  detail: report.outcome.kind === 'observed' ? report.outcome.observation.detail : null,
  trace: (report.outcome.kind === 'observed' && report.outcome.observation.trace) || null,
  isWell,
  replacesMissed,
  arrivedLate: late !== null,
})
