import type { Db } from '../../../platform/store/database/db.ts'
import type { HeartbeatsTable } from '../../../platform/store/database/tables/heartbeats.ts'
import { durationInWords } from '../../../platform/words/dates.ts'
import type { FinishedRun } from '../../outcomes/finished-runs.ts'
import { resultDoc } from '../../results/result-doc.ts'
import { noteLateResults } from '../../results/rollups/late-results.ts'
import { rowOf } from '../../schedule/heartbeat.ts'
import { moveTimer } from '../../schedule/heartbeat-queries.ts'
import type { EventState, Timer } from '../../schedule/heartbeat-timer.ts'
import { alertOnFinal, type Final } from '../alert-states/alert-on-final.ts'
import { daysUntil } from '../certificate-expiry/alert-expiry.ts'
import { findWatch } from '../certificate-expiry/queries.ts'
import { recordStatus } from '../check-statuses/queries.ts'
import { insertEvents, resultOfEvent } from './queries.ts'

/** `id`: of the event, which is a result of the check. */
export type EventOrigin = { now: number; id: string; source: string | null; userAgent: string | null }

export type HeartbeatRow = HeartbeatsTable & { name: string }

/** How long it waited when its grace was over: since the last ping, or since it began to wait. */
const noPing = ({ last_ping_at }: HeartbeatRow, now: number): string =>
  last_ping_at === null
    ? 'No ping came before the end of the grace period'
    : `No ping for ${durationInWords(now - last_ping_at)}`

type Event = { timer: Timer; event: EventState; newId(): string }

/**
 * Writes an event and all that follows from it; the row's lock is held. Returns the names to wake after the commit.
 */
export const recordEvent = async (
  trx: Db,
  row: HeartbeatRow,
  happening: EventOrigin,
  { timer, event, newId }: Event,
): Promise<string[]> => {
  const { now, id } = happening
  const { state, last_ping_at, expected_at, deadline_at } = rowOf(timer)
  await trx.run(moveTimer, { check_id: row.check_id, state, last_ping_at, expected_at, deadline_at })
  const stored = eventOf(row, happening, event)
  await insertEvents(trx, [stored])
  await noteLateResults(trx, [resultOfEvent(stored)])
  const failing = event === 'FAILING'
  await recordEventStatus(trx, row, { failing, now })
  return alertOnFinal(trx, finalOf(row, { id, failing, now }), { now, newId })
}

/** An event as those hear of it who are told of results. */
export const finishedEvent = (
  { check_id: checkId, account_id: accountId }: HeartbeatRow,
  { now, id }: EventOrigin,
  event: EventState,
): FinishedRun => ({
  id,
  accountId,
  checkId,
  checkType: 'HEARTBEAT',
  location: '',
  isFinal: true,
  verdict: {
    hasFailures: event === 'FAILING',
    hasErrors: false,
    isDegraded: false,
    isCancelled: false,
    overMaxResponseTime: false,
    responseTime: 0,
  },
  dueAt: now,
  startedAt: now,
  stoppedAt: now,
  metrics: {},
  detail: null,
})

/** The check's status after an event. */
export const recordEventStatus = async (
  trx: Db,
  row: HeartbeatRow,
  { failing, now }: { failing: boolean; now: number },
): Promise<void> => {
  const look = await trx.get(findWatch, { checkId: row.check_id })
  const ends = look?.expires_at ?? null
  const sslDaysRemaining = ends === null ? null : daysUntil(ends, now)
  await trx.run(recordStatus, statusOf(row, { failing, sslDaysRemaining, now }))
}

/** An event is a result of its check: a ping passes, an alarm fails. */
export const eventOf = (
  row: HeartbeatRow,
  { now, id, source, userAgent }: EventOrigin,
  event: EventState,
) => {
  const { check_id, account_id, name } = row
  const failing = event === 'FAILING'
  const doc = { name, state: event, error: failing ? noPing(row, now) : null, source, userAgent }
  return {
    id,
    accountId: account_id,
    checkId: check_id,
    now,
    hasFailures: failing,
    doc: resultDoc.write(doc),
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
  longestRunMs: 0,
  shortestRunMs: 0,
  updatedAt: null,
  location: '',
  checkRunId: now,
  startedAt: now,
  sslDaysRemaining,
  now,
})

const finalOf = (
  row: HeartbeatRow,
  { id, failing, now }: { id: string; failing: boolean; now: number },
): Final => ({
  checkId: row.check_id,
  accountId: row.account_id,
  level: failing ? 'failing' : 'passing',
  checkRunId: now,
  stoppedAt: now,
  id,
  details: {
    checkResultId: id,
    errorMessage: failing ? noPing(row, now) : null,
    responseTime: null,
    apiStatus: null,
    runLocation: null,
    startedAt: now,
  },
})
