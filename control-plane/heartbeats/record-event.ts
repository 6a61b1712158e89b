import { daysUntil } from '../certificate-expiry/alert-expiry.ts'
import { findLook } from '../certificate-expiry/queries.ts'
import { recordStatus, touchStatus } from '../check-statuses/queries.ts'
import type { Db } from '../database/db.ts'
import type { HeartbeatsTable } from '../database/tables/heartbeats.ts'
import { type Final, takeFinal } from '../runs/final-outcome.ts'
import { insertResult } from '../runs/result-queries.ts'
import { rowOf } from './heartbeat.ts'
import type { EventState, Timer } from './heartbeat-timer.ts'
import { insertHeartbeatEvent, moveTimer } from './queries.ts'

/** `id`: of the event and of the result that shows it. */
export type Happening = { now: number; id: string; source: string | null; userAgent: string | null }

export type HeartbeatRow = HeartbeatsTable & { name: string }

const noPing = 'No ping came before the end of the grace period'

type Event = { timer: Timer; event: EventState; newId(): string }

/**
 * Writes an event and all that follows from it; the row's lock is held. Returns the names to wake after the commit.
 */
export const recordEvent = async (
  trx: Db,
  row: HeartbeatRow,
  { now, id, source, userAgent }: Happening,
  { timer, event, newId }: Event,
): Promise<string[]> => {
  const { check_id, account_id } = row
  const { state, last_ping_at, expected_at, deadline_at } = rowOf(timer)
  await trx.run(moveTimer, { check_id, state, last_ping_at, expected_at, deadline_at })
  await trx.run(insertResult, resultOf(row, { now, id, event }))
  const stored = { id, check_id, account_id, state: event, at: now, source, user_agent: userAgent }
  await trx.run(insertHeartbeatEvent, stored)
  const failing = event === 'FAILING'
  const stays = !failing && row.state === 'running'
  if (stays && (await trx.run(touchStatus, { checkId: check_id, now })) === 1) return []
  const look = await trx.get(findLook, { checkId: check_id })
  const ends = look?.expires_at ?? null
  const sslDaysRemaining = ends === null ? null : daysUntil(ends, now)
  await trx.run(recordStatus, statusOf(row, { failing, sslDaysRemaining, now }))
  return stays ? [] : takeFinal(trx, finalOf(row, { id, failing, now }), { now, newId })
}

type Shown = { now: number; id: string; event: EventState }

/** As the check's results show it: a ping passes, an alarm fails. */
const resultOf = ({ check_id, account_id, name }: HeartbeatRow, { now, id, event }: Shown) => {
  const failing = event === 'FAILING'
  return {
    id,
    accountId: account_id,
    checkId: check_id,
    checkType: 'HEARTBEAT',
    resultType: 'FINAL',
    location: '',
    dueAt: now,
    startedAt: now,
    stoppedAt: now,
    now,
    responseTime: 0,
    hasFailures: failing,
    hasErrors: false,
    isDegraded: false,
    isCancelled: false,
    overMax: false,
    attempts: 0,
    sequenceId: id,
    checkRunId: now,
    doc: JSON.stringify({ name, state: event, error: failing ? noPing : null }),
  }
}

const statusOf = (
  { check_id, account_id }: HeartbeatRow,
  { failing, sslDaysRemaining, now }: { failing: boolean; sslDaysRemaining: number | null; now: number },
) => ({
  checkId: check_id,
  accountId: account_id,
  state: failing ? ('failing' as const) : ('passing' as const),
  hasFailures: failing,
  hasErrors: false,
  isDegraded: false,
  runMs: 0,
  location: '',
  checkRunId: now,
  startedAt: now,
  sslDaysRemaining,
  now,
})

const finalOf = (
  { check_id, account_id }: HeartbeatRow,
  { id, failing, now }: { id: string; failing: boolean; now: number },
): Final => ({
  checkId: check_id,
  accountId: account_id,
  level: failing ? 'failing' : 'passing',
  checkRunId: now,
  stoppedAt: now,
  id,
  details: {
    checkResultId: id,
    errorMessage: failing ? noPing : null,
    responseTime: null,
    apiStatus: null,
    runLocation: null,
    startedAt: now,
  },
})
