import { linkOfEvent } from '../../../alerting/messages/result-link.ts'
import type { App } from '../../../platform/app/app.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import type {
  CheckSessionRunsTable,
  CheckSessionsTable,
} from '../../../platform/store/database/tables/check-sessions.ts'
import { toIso, toIsoOrNull } from '../../../platform/words/shapes/instants.ts'
import type { ResultWithDoc } from '../../results/stored/result.ts'
import { runLocations } from '../../schedule/schedule-queries.ts'
import { checkIdOf } from './advance-session.ts'
import { jobsOfSession, resultsOfSequences, runsOfSession } from './queries.ts'
import type { CheckSession, CheckSessionWithResults, SessionResult } from './schema.ts'
import { shownStatus } from './session-status.ts'

export const serializeSession = (app: App, session: CheckSessionsTable): CheckSession => ({
  checkSessionId: session.id,
  checkSessionLink: `${app.config.baseUrl}/v1/check-sessions/${session.id}`,
  checkId: session.check_id,
  checkType: session.check_type as CheckSession['checkType'],
  name: session.name,
  status: session.status as CheckSession['status'],
  startedAt: toIso(session.started_at),
  stoppedAt: toIsoOrNull(session.stopped_at),
  timeElapsed: (session.stopped_at ?? app.clock.now()) - session.started_at,
  runLocations: runLocations.read(session.locations).map(({ name }) => name),
  runSource: session.run_source as CheckSession['runSource'],
})

/** Agents' clocks are estimated. */
const clockSkewMs = 300_000

/** With every attempt; a session whose first run has been claimed is in progress. */
export const serializeWithResults = async (
  app: App & HasCipher,
  session: CheckSessionsTable,
): Promise<CheckSessionWithResults> => {
  const runs = await app.db.all(runsOfSession, { sessionId: session.id })
  const results = await resultsOfSequences(app.db, {
    checkId: checkIdOf(session),
    sequenceIds: runs.map(({ sequence_id }) => sequence_id),
    from: session.created_at - clockSkewMs,
    to: (session.stopped_at ?? app.clock.now()) + clockSkewMs,
  })
  const jobs = await app.db.all(jobsOfSession, { sessionId: session.id, checkId: checkIdOf(session) })
  const claimed = jobs.some(({ agent_id }) => agent_id !== null)
  const shown = serializeSession(app, session)
  const finals = results.filter(({ result_type }) => result_type === 'FINAL')
  const finished = new Set(finals.map(({ sequence_id }) => sequence_id))
  return {
    ...shown,
    status: shownStatus(shown.status, claimed) as CheckSession['status'],
    results: [
      ...results.map((result) => ofResult(app, session, result)),
      ...runs.filter(({ sequence_id }) => !finished.has(sequence_id)).map((run) => ofRun(app, session, run)),
    ],
  }
}

const common = (app: App & HasCipher, session: CheckSessionsTable, id: string) => ({
  checkResultId: id,
  checkResultLink: linkOfEvent(app, {
    checkId: checkIdOf(session),
    checkResultId: id,
    at: session.created_at,
  }),
  checkId: session.check_id,
  checkType: session.check_type as SessionResult['checkType'],
  name: session.name,
})

const ofResult = (
  app: App & HasCipher,
  session: CheckSessionsTable,
  result: ResultWithDoc,
): SessionResult => ({
  ...common(app, session, result.id),
  runLocation: result.location,
  sequenceId: result.sequence_id,
  resultType: result.result_type as 'FINAL' | 'ATTEMPT',
  hasErrors: result.has_errors,
  hasFailures: result.has_failures,
  isDegraded: result.is_degraded,
  aborted: false,
  isCancelled: result.is_cancelled,
  responseTime: result.response_time,
  startedAt: toIso(result.started_at),
  stoppedAt: toIso(result.stopped_at),
})

/** `aborted`: the run could not be run (a missed run says why). */
const ofRun = (
  app: App & HasCipher,
  session: CheckSessionsTable,
  run: CheckSessionRunsTable,
): SessionResult => ({
  ...common(app, session, run.id),
  runLocation: run.run_location,
  sequenceId: run.sequence_id,
  resultType: null,
  hasErrors: run.state === 'missed',
  hasFailures: false,
  isDegraded: false,
  aborted: run.state === 'missed',
  isCancelled: false,
  responseTime: null,
  startedAt: null,
  stoppedAt: null,
})
