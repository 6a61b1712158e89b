import type { Stamp } from '../../../platform/services/clock/stamp.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { deleteJobsOfCheck, sessionJobsOfCheck } from '../../schedule/job-queries.ts'
import { endSessionRun } from './advance-session.ts'

/**
 * For the deletion of a check: its jobs go, also those that sessions asked for. Other checks of a group that was triggered
 * may be waiting for a run of this one to end. Returns the names to wake after the commit.
 */
export const cancelRunsOfCheck = async (trx: Db, checkId: string, stamp: Stamp): Promise<string[]> => {
  const names: string[] = []
  for (const { sequence_id: sequenceId, session_id: sessionId } of await trx.all(sessionJobsOfCheck, {
    checkId,
  }))
    names.push(
      ...(await endSessionRun(trx, { sessionId, sequenceId, isTest: false, state: 'cancelled' }, stamp)),
    )
  await trx.run(deleteJobsOfCheck, { checkId })
  return names
}
