/**
 * A job as an agent gets it, put together in one place: its row, what its check says, and how its traffic leaves. The only
 * place where these secrets leave the store. All that it is made of is read first (job-sources.ts); what follows only
 * computes.
 */
import type { HasCipher } from '../../platform/doors/secrets/cipher.ts'
import type { CheckType } from '../../../protocol/check-type.ts'
import type { Job } from '../../../protocol/job.ts'
import type { App } from '../../platform/app/app.ts'
import type { JobsTable } from '../../platform/store/database/tables/runs.ts'
import { checkDoc } from '../checks/check-doc.ts'
import { kindOf } from '../checks/types/index.ts'
import { checkDocCache } from '../runs/check-doc-cache.ts'
import type { RetriedCheck } from '../runs/retry-of.ts'
import { fullContent, type JobContent, simpleContent } from './job-content.ts'
import { jobNetwork } from './job-network.ts'
import { type CheckOfJob, type Claimant, type JobSources, readJobSources } from './job-sources.ts'

/** In the order of their moments. A job whose check vanished in between has no check to run: its row went with the check. */
export const assembleJobs = async (app: App & HasCipher, rows: JobsTable[], claimant: Claimant): Promise<Job[]> => {
  if (rows.length === 0) return []
  const sources = await readJobSources(app, rows, claimant)
  // Several jobs of one check share what it says.
  const contents = new Map<string, JobContent>()
  return rows
    .sort((a, b) => a.run_at - b.run_at)
    .flatMap((row) => {
      const check = sources.checks.get(row.check_id)
      if (check === undefined) return []
      const refreshCache = sources.refreshing.has(row.session_id)
      const key = `${check.id} ${refreshCache}`
      const content = contents.get(key) ?? contentOf(app, { check, refreshCache }, sources)
      contents.set(key, content)
      const job = { jobId: row.id, check, content, sealTo: claimant.sealTo }
      return [toJob(row, check.name, { ...content, ...jobNetwork(job, sources, app.cipher) })]
    })
}

type WantedContent = { check: CheckOfJob; refreshCache: boolean }

const contentOf = (app: App & HasCipher, wanted: WantedContent, sources: JobSources): JobContent => {
  const { check } = wanted
  if (kindOf(check.type).takesVariables) return fullContent(wanted, sources, app.cipher)
  const doc = checkDoc.read(check.doc)
  // Its run will be judged by the same document.
  checkDocCache(app).remember(check.id, check.version, doc as RetriedCheck['doc'])
  return simpleContent(check.type, doc)
}

type FromCheck = JobContent & Pick<Job, 'proxyUrl' | 'certificate'>

const toJob = (row: JobsTable, checkName: string, { spec, ...fromCheck }: FromCheck): Job => ({
  id: row.id,
  fence: row.fence,
  accountId: row.account_id,
  checkId: row.check_id,
  checkName,
  checkType: row.check_type as CheckType,
  runtimeId: row.runtime_id as Job['runtimeId'],
  runLocation: row.run_location,
  runSource: row.run_source as Job['runSource'],
  checkRunId: row.check_run_id,
  sequenceId: row.sequence_id,
  attempt: row.attempt,
  dueAt: row.due_at,
  runAt: row.run_at,
  deadlineMs: row.deadline_ms,
  ...fromCheck,
  spec,
})
