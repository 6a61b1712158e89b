/** How a test moves: its status follows from those of its sessions, once all of them have ended. */
import type { Stamp } from '../../../platform/services/clock/stamp.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { query } from '../../../platform/store/database/query.ts'
import type { TestSessionsTable } from '../../../platform/store/database/tables/check-sessions.ts'
import { isFinal, sessionWakeup, testStatus } from './session-status.ts'

export const lockTestOfSession = query('lock-test-of-session', (k, p: { sessionId: string }, engine) => {
  const one = k
    .selectFrom('test_sessions')
    .selectAll()
    .where('id', '=', (of) =>
      of.selectFrom('check_sessions').select('trigger_id').where('id', '=', p.sessionId),
    )
  return engine.rowLocks ? one.forUpdate() : one
})

export const sessionsOfTest = query('sessions-of-test', (k, p: { testId: string }) =>
  k.selectFrom('check_sessions').selectAll().where('trigger_id', '=', p.testId).orderBy('position'),
)

const updateTest = query(
  'update-test-session',
  (k, p: { id: string; status: string; stoppedAt: number | null }) =>
    k.updateTable('test_sessions').set({ status: p.status, stopped_at: p.stoppedAt }).where('id', '=', p.id),
)

/** One of its sessions is over. Returns the names to wake. */
export const advanceTest = async (trx: Db, test: TestSessionsTable, { now }: Stamp): Promise<string[]> => {
  const sessions = await trx.all(sessionsOfTest, { testId: test.id })
  const statuses = sessions.map(({ status }) => status)
  if (!statuses.every(isFinal)) return []
  const stoppedAt = test.stopped_at ?? now
  await trx.run(updateTest, { id: test.id, status: testStatus(statuses), stoppedAt })
  return [sessionWakeup(test.id)]
}
