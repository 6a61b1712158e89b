/**
 * One door for outcomes: report → verdict → stored result, in one transaction with the end of its job. A failed attempt
 * with a retry left is stored as `ATTEMPT` and its retry written; every other one is `FINAL`, and what follows from that
 * is in conclude-run.ts.
 *
 * Invariant: a result is accepted once. The job's row is the right to write a result, and it is deleted with it; a
 * repeat finds the result (`duplicate`), a stale lease finds a newer fence or nothing at all (`stale`).
 */
import type { ReportResponse } from '../../../protocol/agent-api.ts'
import type { CheckType } from '../../../protocol/check-type.ts'
import type { Report } from '../../../protocol/result.ts'
import { joinErrorGroup } from '../../insight/error-groups/join-error-group.ts'
import type { App } from '../../platform/app.ts'
import type { Db } from '../../platform/database/db.ts'
import type { JobsTable } from '../../platform/database/tables/runs.ts'
import { expectArtifacts } from '../artifacts/expect-artifacts.ts'
import type { Making } from '../check-sessions/advance-session.ts'
import { checkDoc } from '../checks/check-doc.ts'
import { resultStored } from './announce-first-result.ts'
import { type CheckDocCache, checkDocCache } from './check-doc-cache.ts'
import { docsOfChecks, runningChecks } from './check-queries.ts'
import { checkedOutcome } from './checked-outcome.ts'
import { concludeRun } from './conclude-run.ts'
import { errorMessageOf } from './error-message.ts'
import { evaluate } from './evaluate.ts'
import { deleteJobs, findJobs } from './job-queries.ts'
import { lockRoundsOfJobs } from './lock-parallel-runs.ts'
import { findResultIds, insertResult } from './result-queries.ts'
import { resultRow } from './result-row.ts'
import { type RetriedCheck, retryOf } from './retry-of.ts'
import { writeRetry } from './write-retry.ts'

type Outcomes = ReportResponse['outcomes']
type Outcome = Outcomes[number]['outcome']

/** What one report led to: its outcome, and names to wake once it is durable. */
type Taken = { outcome: Outcome; wake: string[] }

export const intakeReports = async (app: App, location: string, reports: Report[]): Promise<Outcomes> => {
  const now = app.clock.now()
  const taken = await app.db.transaction(async (trx) => {
    const found = await findAll(trx, checkDocCache(app), reports)
    const each: Taken[] = []
    for (const report of reports)
      each.push(await intake(trx, report, { found, location, making: { now, newId: app.newId } }))
    const ended = reports.filter((_, position) => each[position]?.outcome === 'accepted')
    if (ended.length > 0) await trx.run(deleteJobs, { ids: idsOf(ended) })
    return each
  })
  // A finished run may be what the next one of its check was waiting for.
  for (const name of new Set([location, resultStored, ...taken.flatMap(({ wake }) => wake)]))
    app.wakeups.wake(name)
  return reports.map(({ jobId }, position) => ({ jobId, outcome: taken[position]?.outcome ?? 'refused' }))
}

/** What the store knows of a batch, read with a few queries instead of a few per report. */
type Found = {
  jobs: Map<string, JobsTable>
  checks: Map<string, RetriedCheck & { name: string }>
  stored: Set<string>
  /** Checks with an alert state. */
  troubled: Set<string>
}

const idsOf = (reports: Report[]): string[] => reports.map(({ jobId }) => jobId)

const findAll = async (trx: Db, cache: CheckDocCache, reports: Report[]): Promise<Found> => {
  await lockRoundsOfJobs(trx, idsOf(reports))
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
  }
}

type RunningCheck = { id: string; name: string; group_id: number | null; version: number }

/** Only the documents that are not known as they are now are read and parsed. */
const withDocs = async (trx: Db, cache: CheckDocCache, rows: RunningCheck[]): Promise<Found['checks']> => {
  const checks: Found['checks'] = new Map()
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

const intake = async (
  trx: Db,
  reported: Report,
  { found, location, making }: { found: Found; location: string; making: Making },
): Promise<Taken> => {
  const job = found.jobs.get(reported.jobId)
  if (job === undefined)
    return { outcome: found.stored.has(reported.jobId) ? 'duplicate' : 'stale', wake: [] }
  if (job.location !== location || job.fence !== reported.fence) return { outcome: 'stale', wake: [] }
  const check = found.checks.get(job.check_id)
  if (check === undefined) return { outcome: 'stale', wake: [] }
  const outcome = checkedOutcome(job.check_type as CheckType, reported.outcome)
  const report = { ...reported, outcome }
  const verdict = evaluate(outcome, check.doc)
  const error = errorMessageOf(outcome, verdict, check.doc)
  const { now } = making
  const retry = error === null ? null : await retryOf(trx, { job, report, check })
  const errorGroupIds =
    error === null || retry !== null ? [] : [await groupError(trx, job, { error, report, now })]
  const judged = { verdict, name: check.name, error, errorGroupIds, retried: retry !== null, now }
  await trx.run(insertResult, resultRow(job, report, judged))
  if (report.artifacts !== undefined)
    await expectArtifacts(trx, job, {
      notes: report.artifacts,
      isFailure: error !== null && retry === null,
      now,
    })
  // The same report again in this batch finds a result and no job, as it would in the next one.
  found.jobs.delete(job.id)
  found.stored.add(job.id)
  if (retry !== null) {
    const { startedAt } = report
    return { outcome: 'accepted', wake: [await writeRetry(trx, job, { startedAt, retry, ...making })] }
  }
  const isWell = !found.troubled.has(job.check_id)
  if (verdict.hasFailures || verdict.isDegraded) found.troubled.add(job.check_id)
  const wake = await concludeRun(
    trx,
    job,
    {
      resultId: job.id,
      verdict,
      runLocation: job.run_location,
      startedAt: report.startedAt,
      stoppedAt: report.stoppedAt,
      error,
      detail: outcome.kind === 'observed' ? outcome.observation.detail : null,
      isWell,
    },
    making,
  )
  return { outcome: 'accepted', wake }
}

type Failed = { error: string; report: Report; now: number }

const groupError = (trx: Db, job: JobsTable, { error, report, now }: Failed): Promise<string> =>
  joinErrorGroup(trx, {
    accountId: job.account_id,
    checkId: job.check_id,
    checkType: job.check_type,
    message: error,
    at: report.startedAt,
    now,
  })
