/**
 * How a session moves: let go (its jobs are written), a run ends, all have ended and the next session of its group is let
 * go. Called by whoever ends a run: the intake of reports, the sweep of jobs nobody came for, a cancellation.
 */

import type { CheckType } from '../../../../protocol/check-type.ts'
import type { runSources } from '../../../../protocol/job.ts'
import type { Stamp } from '../../../platform/services/clock/stamp.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import type { CheckSessionsTable } from '../../../platform/store/database/tables/check-sessions.ts'
import { insertJob } from '../../schedule/job-queries.ts'
import { newJob } from '../../schedule/new-job.ts'
import { maxWaitMs } from '../../schedule/plan-slots.ts'
import { runLocations } from '../../schedule/schedule-queries.ts'
import { wakeDependentsOf } from '../dependencies/dependents.ts'
import { advanceTest, lockTestOfSession } from './advance-test.ts'
import {
  insertSessionRun,
  lockSession,
  nextWaitingSession,
  runsOfSession,
  updateSession,
  updateSessionRun,
} from './queries.ts'
import { isFinal, type RunState, sessionStatus, sessionWakeup } from './session-status.ts'

type RunSource = (typeof runSources)[number]

/** Whose runs they are: a test's are of its copy of the check. */
export const checkIdOf = ({ id, check_id, is_test }: CheckSessionsTable): string => (is_test ? id : check_id)

/** Nobody asked for the session but checks that depend on this one (dependencies/run-now.ts). */
export const forDependents = 'SCHEDULE_NOW'

/** Writes the session's jobs, one per location; returns the locations to wake. */
export const letGo = async (
  trx: Db,
  session: CheckSessionsTable,
  { now, newId }: Stamp,
): Promise<string[]> => {
  const locations = runLocations.read(session.locations)
  const check = {
    id: checkIdOf(session),
    accountId: session.account_id,
    type: session.check_type as CheckType,
    runtimeId: session.runtime_id,
    periodMs: maxWaitMs,
  }
  for (const location of locations) {
    const id = newId()
    // A test has one location, and says the sequence of each run before its turn comes.
    const sequenceId = session.is_test ? session.id : newId()
    const planned = { dueAt: now, expiresAt: now + maxWaitMs, location }
    const origin = { runSource: session.run_source as RunSource, sessionId: session.id }
    await trx.run(insertJob, newJob(check, planned, { id, sequenceId, now, origin }))
    await trx.run(insertSessionRun, {
      id,
      session_id: session.id,
      account_id: session.account_id,
      run_location: location.name,
      sequence_id: sequenceId,
      state: 'running',
    })
  }
  await trx.run(updateSession, { id: session.id, status: 'STARTED', startedAt: now, stoppedAt: null })
  return locations.map(({ id }) => id)
}

type RunEnd = {
  sessionId: string
  sequenceId: string
  isTest: boolean
  state: Exclude<RunState, 'running'>
}

/** Records the end of a run; returns the locations to wake, because another session may have been let go. */
export const endSessionRun = async (
  trx: Db,
  { sessionId, sequenceId, isTest, state }: RunEnd,
  stamp: Stamp,
): Promise<string[]> => {
  // Before its sessions: those of one test end in different transactions.
  const test = isTest ? await trx.get(lockTestOfSession, { sessionId }) : undefined
  const session = await trx.get(lockSession, { id: sessionId })
  if (!session) return []
  await trx.run(updateSessionRun, { sessionId, sequenceId, state })
  const runs = await trx.all(runsOfSession, { sessionId })
  const status = sessionStatus(runs.map((run) => run.state as RunState))
  const over = isFinal(status)
  // A run that was missed and measured after all changes what came of its session, not what followed from its end.
  const wasOver = isFinal(session.status)
  await trx.run(updateSession, {
    id: sessionId,
    status,
    startedAt: session.started_at,
    stoppedAt: wasOver ? session.stopped_at : over ? stamp.now : null,
  })
  if (over && !wasOver && session.run_source === forDependents)
    await wakeDependentsOf(trx, { accountId: session.account_id, checkId: session.check_id, now: stamp.now })
  const names = test !== undefined && over ? await advanceTest(trx, test, stamp) : []
  if (!over || wasOver || session.group_id === null) return names
  const next = await trx.get(nextWaitingSession, { triggerId: session.trigger_id, groupId: session.group_id })
  return next ? [...names, ...(await letGo(trx, next, stamp))] : names
}

/** For a run that has ended: if a session asked for it, the session moves. Returns the names to wake. */
export const endRunOfSession = async (
  trx: Db,
  { sessionId, sequenceId, isTest }: { sessionId: string; sequenceId: string; isTest: boolean },
  { state, ...stamp }: Stamp & { state: RunEnd['state'] },
): Promise<string[]> => {
  if (sessionId === '') return []
  const locations = await endSessionRun(trx, { sessionId, sequenceId, isTest, state }, stamp)
  return [...locations, sessionWakeup(sessionId)]
}
