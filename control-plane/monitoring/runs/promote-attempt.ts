import { type CheckType, protocolOf } from '../../../protocol/check-type.ts'
import { isTestRun } from '../../../protocol/job.ts'
import type { Stamp } from '../../platform/services/clock/stamp.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { JobsTable } from '../../platform/store/database/tables/runs.ts'
import { testedChecksById } from '../definitions/tested-checks/queries.ts'
import type { FinalResult, HasConsequences } from '../outcomes/consequences.ts'
import { verdictOfRow } from '../outcomes/verdict.ts'
import { type ResultDoc, resultDoc } from '../results/result-doc.ts'
import { noteLateResults } from '../results/rollups/late-results.ts'
import { makeAttemptFinal } from '../results/stored/find-results.ts'
import { errorGroupIdOf } from './error-group-id.ts'
import { lastAttempt } from './result-queries.ts'
import { runOf } from './result-row.ts'

/** Once the end of a run is durable: whom to wake, and its result if it has one. */
export type EndedRun = { wake: string[]; finals: FinalResult[] }

/**
 * The retry of a run came to nothing (no agent, downtime of ours): the attempt before it is the run's final result after
 * all, so that the due time still ends as exactly one.
 */
export const promoteLastAttempt = async (
  { consequences }: HasConsequences,
  trx: Db,
  job: JobsTable,
  stamp: Stamp,
): Promise<EndedRun> => {
  const attempt = await lastAttempt(trx, {
    checkId: job.check_id,
    sequenceId: job.sequence_id,
    since: job.first_started_at ?? job.due_at,
  })
  if (!attempt) return { wake: [], finals: [] }
  const doc = resultDoc.read(attempt.doc)
  const { error } = doc
  const originId = await originOf(trx, job)
  const errorGroupIds = error === null ? [] : [errorGroupIdOf(originId, error, isTestRun(job.run_source))]
  await makeAttemptFinal(trx, { id: attempt.id, doc: resultDoc.write({ ...doc, errorGroupIds }) })
  await noteLateResults(trx, [
    {
      id: attempt.id,
      checkId: attempt.check_id,
      startedAt: attempt.started_at,
      resultType: 'FINAL',
      hasErrors: attempt.has_errors,
      isCancelled: attempt.is_cancelled,
    },
  ])
  const { resultProperty } = protocolOf(attempt.check_type as CheckType)
  const final: FinalResult = {
    ...runOf(job),
    location: attempt.location,
    resultId: attempt.id,
    originId,
    checkName: doc.name,
    verdict: { ...verdictOfRow(attempt), isCancelled: false },
    startedAt: attempt.started_at,
    stoppedAt: attempt.stopped_at,
    error,
    detail: resultProperty === null ? null : (doc[resultProperty] ?? null),
    trace: traceOf(doc),
    isWell: false,
    replacesMissed: false,
    arrivedLate: false,
  }
  return { wake: await consequences.onFinalResults(trx, [final], stamp), finals: [final] }
}

const originOf = async (trx: Db, { check_id: id, run_source }: JobsTable): Promise<string> => {
  const [copy] = isTestRun(run_source) ? await trx.all(testedChecksById, { ids: [id] }) : []
  return copy?.check_id ?? id
}

const traceOf = ({ traceId, spanId }: ResultDoc): FinalResult['trace'] =>
  traceId === undefined || spanId === undefined ? null : { traceId, spanId }
