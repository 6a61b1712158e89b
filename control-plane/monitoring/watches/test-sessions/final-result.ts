import type { App } from '../../../platform/app/app.ts'
import type { CheckSessionsTable } from '../../../platform/store/database/tables/check-sessions.ts'
import { notFound } from '../../../platform/words/errors.ts'
import type { ResultWithDoc } from '../../results/stored/result.ts'
import { checkIdOf } from '../check-sessions/advance-session.ts'
import { findSession, resultsOfSequences } from '../check-sessions/queries.ts'

/** Agents' clocks are estimated. */
const clockSkewMs = 300_000

type TestedRun = { accountId: string; testSessionId: string; resultId: string }

/** The session of one check of a test. @throws ApiError 404 */
export const requireTestedRun = async (
  { db }: App,
  { accountId, testSessionId, resultId }: TestedRun,
): Promise<CheckSessionsTable> => {
  const session = await db.get(findSession, { id: resultId, accountId })
  if (session === undefined || !session.is_test || session.trigger_id !== testSessionId) throw notFound()
  return session
}

/** Its attempts, oldest first. */
export const attemptsOf = ({ db, clock }: App, session: CheckSessionsTable): Promise<ResultWithDoc[]> =>
  resultsOfSequences(db, {
    checkId: checkIdOf(session),
    sequenceIds: [session.id],
    from: session.created_at - clockSkewMs,
    to: (session.stopped_at ?? clock.now()) + clockSkewMs,
  })

/** @throws ApiError 404: it has not ended, or its result is gone */
export const finalResultOf = async (app: App, session: CheckSessionsTable): Promise<ResultWithDoc> => {
  const final = (await attemptsOf(app, session)).findLast(({ result_type }) => result_type === 'FINAL')
  if (final === undefined) throw notFound()
  return final
}
