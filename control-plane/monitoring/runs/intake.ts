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
import { holdUsageOfJobs } from '../artifacts/usage.ts'
import { checkDoc } from '../definitions/checks/check-doc.ts'
import { type CheckDocCache, checkDocCache, type JudgedDoc } from '../definitions/checks/check-doc-cache.ts'
import { docsOfChecks, runningChecks } from '../definitions/checks/checks-by-id.ts'
import { kindOf } from '../definitions/checks/types/index.ts'
import type { FinalResult, HasConsequences } from '../outcomes/consequences.ts'
import type { FinishedRun, HasFinishedRuns } from '../outcomes/finished-runs.ts'
import type { HasRunExport } from '../outcomes/run-export.ts'
import { noteLateResults } from '../results/rollups/late-results.ts'
import { storedResultIds } from '../results/stored/find-results.ts'
import { deleteJobs, existingJobs, findFreeJobs, findJobs } from '../schedule/job-queries.ts'
import { resultStored } from './announce-first-result.ts'
import { checkedOutcome } from './checked-outcome.ts'
import { errorGroupIdOf } from './error-group-id.ts'
import { lockParallelRunsOfJobs } from './lock-parallel-runs.ts'
import { deleteMissedJobs, missedJobs } from './missed-job.ts'
import type { EndedRun } from './promote-attempt.ts'
import { insertResults, type NewResult } from './result-queries.ts'
import { resultRow, runOf } from './result-row.ts'
import { type RetriedCheck, retryOf } from './retry-of.ts'
import { undisturbedOutcome } from './undisturbed-outcome.ts'
import { writeRetry } from './write-retry.ts'

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
    const intakes: Intake[] = []
    for (const report of reports) intakes.push(await intake(trx, { report, location, batch }))
    const attempts = intakes.flatMap(({ attempt }) => attempt ?? [])
    const ended = attempts.length === 0 ? nothing : await store(app, trx, attempts, stamp)
    return { outcomes: intakes.map(({ outcome }) => outcome), attempts, ...ended }
  })
  // A finished run may be what the next one of its check was waiting for.
  for (const name of new Set([location, resultStored, ...wake])) app.wakeups.wake(name)
  app.finishedRuns.publish(attempts.map(finishedRun))
  app.runExport.take(finals)
  return reports.map(({ jobId }, position) => ({ jobId, outcome: outcomes[position] ?? 'refused' }))
}

const nothing: EndedRun = { wake: [], finals: [] }

/** Writes what was accepted. */
const store = async (app: IntakeApp, trx: Db, attempts: Attempt[], stamp: Stamp): Promise<EndedRun> => {
  const { now } = stamp
  const rows = attempts.map((attempt) => rowOf(attempt, now))
  await insertResults(trx, rows)
  const late = attempts.filter(({ replacesMissed }) => replacesMissed)
  if (late.length > 0) await trx.run(deleteMissedJobs, { ids: late.map(({ job }) => job.id) })
  for (const attempt of attempts) await expectFiles(app, trx, attempt, now)
  const wake: string[] = []
  for (const { job, report, retry } of attempts)
    if (retry !== null)
      wake.push(await writeRetry(trx, job, { startedAt: report.startedAt, retry, ...stamp }))
  const finals = attempts.filter(({ retry }) => retry === null).map(finalResult)
  wake.push(...(await app.consequences.onFinalResults(trx, finals, stamp)))
  await noteLateResults(trx, rows)
  await trx.run(deleteJobs, { ids: attempts.map(({ job }) => job.id) })
  return { wake, finals }
}

/** What the store knows of a batch, read with a few queries instead of a few per report. */
type Batch = {
  jobs: Map<string, JobsTable>
  /** Of these, those whose runs were recorded as missed. */
  missed: Set<string>
  /** Held by somebody else. */
  locked: Set<string>
  checks: Map<string, RetriedCheck & { name: string }>
  stored: Set<string>
  /** Checks with an alert state. */
  unwell: Set<string>
}

const idsOf = (reports: Report[]): string[] => reports.map(({ jobId }) => jobId)

/** `passLocked`: jobs that somebody else holds are left out instead of waited for. */
type BatchToRead = { reports: Report[]; passLocked: boolean; missedSince: number }

const readBatch = async (
  trx: Db,
  cache: CheckDocCache,
  { reports, passLocked, missedSince }: BatchToRead,
): Promise<Batch> => {
  const all = idsOf(reports)
  await lockParallelRunsOfJobs(trx, all)
  await holdUsageOfJobs(trx, idsOf(reports.filter(({ artifacts = [] }) => artifacts.length > 0)))
  const found = await trx.all(passLocked ? findFreeJobs : findJobs, { ids: all })
  const jobs = new Map(found.map((job) => [job.id, job]))
  const without = all.filter((id) => !jobs.has(id))
  const locked = passLocked ? (await trx.all(existingJobs, { ids: without })).map(({ id }) => id) : []
  const missed = await missedJobs(trx, { ids: without, since: missedSince })
  for (const job of missed) jobs.set(job.id, job)
  const ids = [...new Set([...jobs.values()].map(({ check_id }) => check_id))]
  const checks = jobs.size === 0 ? [] : await trx.all(runningChecks, { ids })
  const stored = without.length === 0 ? new Set<string>() : await storedResultIds(trx, without)
  return {
    jobs,
    missed: new Set(missed.map(({ id }) => id)),
    locked: new Set(locked),
    checks: await withDocs(trx, cache, checks),
    stored,
    unwell: new Set(checks.flatMap(({ unwell }) => unwell ?? [])),
  }
}

type RunningCheck = { id: string; name: string; group_id: number | null; version: number }

/** Only the documents that are not known as they are now are read and parsed. */
const withDocs = async (trx: Db, cache: CheckDocCache, rows: RunningCheck[]): Promise<Batch['checks']> => {
  const checks: Batch['checks'] = new Map()
  const unknown = new Map<string, RunningCheck>()
  for (const row of rows) {
    const doc = cache.recall(row.id, row.version)
    if (doc) checks.set(row.id, { name: row.name, groupId: row.group_id, doc })
    else unknown.set(row.id, row)
  }
  if (unknown.size === 0) return checks
  for (const { id, version, doc: text } of await trx.all(docsOfChecks, {
    ids: [...unknown.keys()],
  })) {
    const row = unknown.get(id)
    const doc = cache.remember(id, version, checkDoc.read(text) as JudgedDoc)
    if (row) checks.set(id, { name: row.name, groupId: row.group_id, doc })
  }
  return checks
}

type ReportInBatch = { report: Report; location: string; batch: Batch }

/** What one report leads to; `attempt`: what is to be stored of an accepted one. */
type Intake = { outcome: Outcome; attempt?: Attempt }

const intake = async (trx: Db, { report, location, batch }: ReportInBatch): Promise<Intake> => {
  const job = batch.jobs.get(report.jobId)
  if (job === undefined) return { outcome: withoutJob(batch, report.jobId) }
  const check = batch.checks.get(job.check_id)
  const replacesMissed = batch.missed.has(job.id)
  if (job.location !== location || check === undefined || !isOfItsFence(job, report, replacesMissed))
    return { outcome: 'stale' }
  const judged = judge(job, report, check)
  // Most runs are well and wait for nobody here; the time to try a missed one again is over.
  const retry =
    judged.error === null || replacesMissed ? null : await retryOf(trx, { job, report: judged.report, check })
  // The same report again in this batch finds a result and no job, as it would in the next one.
  batch.jobs.delete(job.id)
  batch.stored.add(job.id)
  const isWell = !batch.unwell.has(job.check_id)
  const attempt = { job, name: check.name, ...judged, retry, isWell, replacesMissed }
  if (retry === null && (judged.verdict.hasFailures || judged.verdict.isDegraded))
    batch.unwell.add(job.check_id)
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
 * A judged attempt of a check; `retry`: null for a final one; `isWell`: the check was, before it; `replacesMissed`: its run
 * was recorded as missed.
 */
type Attempt = JudgedReport & {
  job: JobsTable
  name: string
  retry: Retry | null
  isWell: boolean
  replacesMissed: boolean
}

const noLimits: Judgement = { degradedResponseTime: null, maxResponseTime: null }

const judge = (job: JobsTable, reported: Report, check: RetriedCheck): JudgedReport => {
  const checked = checkedOutcome(job.check_type as CheckType, reported.outcome)
  const outcome = undisturbedOutcome(checked, check.doc)
  const report = { ...reported, outcome }
  const limits = kindOf(job.check_type).keepsResponseTimes ? noLimits : check.doc
  const verdict = evaluate(outcome, limits)
  return { report, verdict, error: errorMessageOf(outcome, verdict, limits) }
}

const isFinalFailure = ({ error, retry }: Attempt): boolean => error !== null && retry === null

const rowOf = (attempt: Attempt, now: number): NewResult => {
  const { job, report, name, verdict, error, retry } = attempt
  const errorGroupIds = isFinalFailure(attempt) ? [errorGroupIdOf(job.check_id, error ?? '')] : []
  return resultRow(job, report, { verdict, name, error, errorGroupIds, retried: retry !== null, now })
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

const finishedRun = ({ job, report, verdict, retry }: Attempt): FinishedRun => {
  const observation = report.outcome.kind === 'observed' ? report.outcome.observation : null
  return {
    id: job.id,
    accountId: job.account_id,
    checkId: job.check_id,
    checkType: job.check_type,
    location: job.run_location,
    isFinal: retry === null,
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
  report,
  verdict,
  error,
  isWell,
  replacesMissed,
}: Attempt): FinalResult => ({
  ...runOf(job),
  resultId: job.id,
  checkName: name,
  verdict,
  startedAt: report.startedAt,
  stoppedAt: report.stoppedAt,
  error,
  detail: report.outcome.kind === 'observed' ? report.outcome.observation.detail : null,
  trace: (report.outcome.kind === 'observed' && report.outcome.observation.trace) || null,
  isWell,
  replacesMissed,
})
