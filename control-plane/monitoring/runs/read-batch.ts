/** What the store knows of a batch of reports, read with a few queries instead of a few per report. */
import { isTestRun } from '../../../protocol/job.ts'
import type { Report } from '../../../protocol/result.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { JobsTable } from '../../platform/store/database/tables/runs.ts'
import { holdUsageOfJobs } from '../artifacts/usage.ts'
import { checkDoc } from '../definitions/checks/check-doc.ts'
import type { CheckDocCache, JudgedDoc } from '../definitions/checks/check-doc-cache.ts'
import { docsOfChecks, runningChecks } from '../definitions/checks/checks-by-id.ts'
import { testedChecksById } from '../definitions/tested-checks/queries.ts'
import { storedResultIds } from '../results/stored/find-results.ts'
import { existingJobs, findFreeJobs, findJobs } from '../schedule/job-queries.ts'
import { lockParallelRunsOfJobs } from './lock-parallel-runs.ts'
import { missedJobs } from './missed-job.ts'
import type { RetriedCheck } from './retry-of.ts'

/** `origin`: of a copy that a test runs, the check that was copied. */
export type RunningDoc = RetriedCheck & { name: string; origin?: string }

export type Batch = {
  jobs: Map<string, JobsTable>
  /** Of these, those whose runs were recorded as missed. */
  missed: Set<string>
  /** Held by somebody else. */
  locked: Set<string>
  checks: Map<string, RunningDoc>
  stored: Set<string>
  /** Checks with an alert state. */
  unwell: Set<string>
}

const idsOf = (reports: Report[]): string[] => reports.map(({ jobId }) => jobId)

/** `passLocked`: jobs that somebody else holds are left out instead of waited for. */
type BatchToRead = { reports: Report[]; passLocked: boolean; missedSince: number }

export const readBatch = async (
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
    checks: await withCopies(trx, await withDocs(trx, cache, checks), [...jobs.values()]),
    stored,
    unwell: new Set(checks.flatMap(({ unwell }) => unwell ?? [])),
  }
}

/** Copies are judged as they were copied: no group has a say in how often a test is tried again. */
const withCopies = async (
  trx: Db,
  checks: Batch['checks'],
  jobs: readonly JobsTable[],
): Promise<Batch['checks']> => {
  const ids = [...new Set(jobs.flatMap((job) => (isTestRun(job.run_source) ? [job.check_id] : [])))]
  if (ids.length === 0) return checks
  for (const { id, name, check_id: origin, doc } of await trx.all(testedChecksById, { ids }))
    checks.set(id, { name, groupId: null, origin, doc: checkDoc.read(doc) as JudgedDoc })
  return checks
}

type RunningCheck = { id: string; name: string; group_id: number | null; version: number }

/** Only the documents that are not known as they are now are read and parsed. */
export const withDocs = async (
  trx: Db,
  cache: CheckDocCache,
  rows: RunningCheck[],
): Promise<Batch['checks']> => {
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
