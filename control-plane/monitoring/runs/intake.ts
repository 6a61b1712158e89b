/**
 * One door for outcomes: report → verdict → stored result, in one transaction with the end of its job.
 *
 *   1. What the store knows of the batch is read with a few queries, parallel runs locked first.
 *   2. The job is found: it is the right to write a result. Without it the report is a `duplicate` or `stale`.
 *   3. The outcome is checked against its type's schema and judged: a verdict, and a sentence if it is bad.
 *   4. A bad one may have a retry left: then it is an `ATTEMPT`, otherwise it is `FINAL`.
 *   5. The result is stored, and the files that were announced with it are expected.
 *   6. The retry is written; or what follows from a final result follows (control-plane/consequences.ts).
 *   7. Results whose hour was counted already are noted, and the jobs of the batch end. After the commit, whoever waits is woken.
 *
 * Invariant: a result is accepted once. The job's row is deleted with the result; a repeat finds the result
 * (`duplicate`), a stale lease finds a newer fence or nothing at all (`stale`).
 */
import type { ReportResponse } from '../../../protocol/agent-api.ts'
import type { CheckType } from '../../../protocol/check-type.ts'
import type { Report } from '../../../protocol/result.ts'
import type { App } from '../../platform/app.ts'
import type { Stamp } from '../../platform/clock/stamp.ts'
import type { Db } from '../../platform/database/db.ts'
import type { JobsTable } from '../../platform/database/tables/runs.ts'
import type { Verdict } from '../../platform/shapes/verdict.ts'
import { expectArtifacts } from '../artifacts/expect-artifacts.ts'
import { holdUsageOfJobs } from '../artifacts/usage.ts'
import { checkDoc } from '../checks/check-doc.ts'
import { kindOf } from '../checks/types/index.ts'
import { type NewResult, noteLateResults } from '../rollups/late-results.ts'
import { resultStored } from './announce-first-result.ts'
import { type CheckDocCache, checkDocCache } from './check-doc-cache.ts'
import { docsOfChecks, runningChecks } from './check-queries.ts'
import { checkedOutcome } from './checked-outcome.ts'
import { errorGroupIdOf } from './error-group-id.ts'
import { errorMessageOf } from './error-message.ts'
import { evaluate, type Judgement } from './evaluate.ts'
import { deleteJobs, findJobs } from './job-queries.ts'
import { lockParallelRunsOfJobs } from './lock-parallel-runs.ts'
import { findResultIds, insertResult } from './result-queries.ts'
import { resultRow } from './result-row.ts'
import type { Retry } from './retry.ts'
import { type RetriedCheck, retryOf } from './retry-of.ts'
import { runOf } from './run-of.ts'
import { undisturbedOutcome } from './undisturbed-outcome.ts'
import { writeRetry } from './write-retry.ts'

type Outcomes = ReportResponse['outcomes']
type Outcome = Outcomes[number]['outcome']

/** What one report led to: its outcome, and names to wake once it is durable. */
type Intake = { outcome: Outcome; wake: string[] }

export const intakeReports = async (app: App, location: string, reports: Report[]): Promise<Outcomes> => {
  const stamp = { now: app.clock.now(), newId: app.newId }
  const intakes = await app.db.transaction(async (trx) => {
    const batch = await readBatch(trx, checkDocCache(app), reports)
    const each: Intake[] = []
    for (const report of reports) each.push(await intake(app, trx, { report, location, batch, stamp }))
    const ended = reports.filter((_, position) => each[position]?.outcome === 'accepted')
    if (ended.length > 0) await trx.run(deleteJobs, { ids: idsOf(ended) })
    await noteLateResults(trx, batch.results)
    return each
  })
  // A finished run may be what the next one of its check was waiting for.
  for (const name of new Set([location, resultStored, ...intakes.flatMap(({ wake }) => wake)]))
    app.wakeups.wake(name)
  return reports.map(({ jobId }, position) => ({ jobId, outcome: intakes[position]?.outcome ?? 'refused' }))
}

/** What the store knows of a batch, read with a few queries instead of a few per report. */
type Batch = {
  jobs: Map<string, JobsTable>
  checks: Map<string, RetriedCheck & { name: string }>
  stored: Set<string>
  /** Checks with an alert state. */
  troubled: Set<string>
  /** What it led to. */
  results: NewResult[]
}

const idsOf = (reports: Report[]): string[] => reports.map(({ jobId }) => jobId)

const readBatch = async (trx: Db, cache: CheckDocCache, reports: Report[]): Promise<Batch> => {
  await lockParallelRunsOfJobs(trx, idsOf(reports))
  await holdUsageOfJobs(trx, idsOf(reports.filter(({ artifacts = [] }) => artifacts.length > 0)))
  const jobs = new Map((await trx.all(findJobs, { ids: idsOf(reports) })).map((job) => [job.id, job]))
  const ids = [...new Set([...jobs.values()].map(({ check_id }) => check_id))]
  const checks = jobs.size === 0 ? [] : await trx.all(runningChecks, { ids })
  const without = reports.filter(({ jobId }) => !jobs.has(jobId))
  const stored = without.length === 0 ? [] : await trx.all(findResultIds, { ids: idsOf(without) })
  return {
    jobs,
    checks: await withDocs(trx, cache, checks),
    stored: new Set(stored.map(({ id }) => id)),
    troubled: new Set(checks.flatMap(({ troubled }) => troubled ?? [])),
    results: [],
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
    const doc = cache.remember(id, version, checkDoc.read(text) as RetriedCheck['doc'])
    if (row) checks.set(id, { name: row.name, groupId: row.group_id, doc })
  }
  return checks
}

type ReportInBatch = { report: Report; location: string; batch: Batch; stamp: Stamp }

const intake = async (
  app: App,
  trx: Db,
  { report, location, batch, stamp }: ReportInBatch,
): Promise<Intake> => {
  const job = batch.jobs.get(report.jobId)
  if (job === undefined) return { outcome: batch.stored.has(report.jobId) ? 'duplicate' : 'stale', wake: [] }
  const check = batch.checks.get(job.check_id)
  if (job.location !== location || job.fence !== report.fence || check === undefined)
    return { outcome: 'stale', wake: [] }
  const judgement = judge(job, report, check)
  const { error } = judgement
  // Most runs are well and wait for nobody here.
  const retry = error === null ? null : await retryOf(trx, { job, report: judgement.report, check })
  const judged = { ...judgement, retry }
  batch.results.push(await storeResult(trx, job, judged, { name: check.name, now: stamp.now, app }))
  // The same report again in this batch finds a result and no job, as it would in the next one.
  batch.jobs.delete(job.id)
  batch.stored.add(job.id)
  if (judged.retry !== null) {
    const { startedAt } = report
    return {
      outcome: 'accepted',
      wake: [await writeRetry(trx, job, { startedAt, retry: judged.retry, ...stamp })],
    }
  }
  const isWell = !batch.troubled.has(job.check_id)
  if (judged.verdict.hasFailures || judged.verdict.isDegraded) batch.troubled.add(job.check_id)
  const final = finalResult(job, judged, isWell)
  return { outcome: 'accepted', wake: await app.consequences.onFinalResult(trx, final, stamp) }
}

/** A report whose outcome fits its type; `error`: why it is bad, in one sentence; `retry`: null for a final one. */
type JudgedReport = { report: Report; verdict: Verdict; error: string | null; retry: Retry | null }

const noLimits: Judgement = { degradedResponseTime: null, maxResponseTime: null }

const judge = (job: JobsTable, reported: Report, check: RetriedCheck): Omit<JudgedReport, 'retry'> => {
  const checked = checkedOutcome(job.check_type as CheckType, reported.outcome)
  const outcome = undisturbedOutcome(checked, check.doc)
  const report = { ...reported, outcome }
  const limits = kindOf(job.check_type).keepsResponseTimes ? noLimits : check.doc
  const verdict = evaluate(outcome, limits)
  return { report, verdict, error: errorMessageOf(outcome, verdict, limits) }
}

const storeResult = async (
  trx: Db,
  job: JobsTable,
  { report, verdict, error, retry }: JudgedReport,
  { name, now, app }: { name: string; now: number; app: App },
): Promise<NewResult> => {
  const isFinalFailure = error !== null && retry === null
  const errorGroupIds = isFinalFailure ? [errorGroupIdOf(job.check_id, error)] : []
  const known = { verdict, name, error, errorGroupIds, retried: retry !== null, now }
  const result = resultRow(job, report, known)
  await trx.run(insertResult, result)
  if (report.artifacts !== undefined)
    await expectArtifacts(trx, job, {
      notes: report.artifacts,
      isFailure: isFinalFailure,
      allowances: app.config.artifactAllowances,
      retention: app.config.retention,
      now,
    })
  return result
}

const finalResult = (job: JobsTable, { report, verdict, error }: JudgedReport, isWell: boolean) => ({
  ...runOf(job),
  resultId: job.id,
  verdict,
  startedAt: report.startedAt,
  stoppedAt: report.stoppedAt,
  error,
  detail: report.outcome.kind === 'observed' ? report.outcome.observation.detail : null,
  isWell,
})
