/**
 * Heartbeat checks: somebody else's job pings a secret address, and the check fails when the ping stays away.
 *
 * Words: the *timer* (heartbeat-timer.ts) says when a ping is expected; an *event* is a ping or an alarm, and a result of
 * its check (watches/heartbeats). Invariants: the timer moves under the lock of its row, with its event and the check's
 * status in the same transaction; alarms, and the pings that end them, may change the check's alert state. A ping of a
 * check that is well does not.
 */
import type { Db } from '../../platform/store/database/db.ts'
import type { HeartbeatsTable } from '../../platform/store/database/tables/heartbeats.ts'
import {
  awaitedSince,
  deleteHeartbeat,
  lockHeartbeat,
  moveDeadlines,
  upsertHeartbeat,
} from './heartbeat-queries.ts'
import {
  durationMs,
  maxToleranceMs,
  restartGraceMs,
  restartTimer,
  stopTimer,
  type Timer,
  type TimeUnit,
} from './heartbeat-timer.ts'

/** As a check declares it. */
type HeartbeatSettings = {
  period: number
  periodUnit: TimeUnit
  grace: number
  graceUnit: TimeUnit
  pingToken: string
}

type HeartbeatToSync = {
  checkId: string
  accountId: string
  activated: boolean
  heartbeat: HeartbeatSettings
  now: number
}

/** `{ping_url}/<ping_id>` of the contract. */
export const pingUrl = (baseUrl: string, pingToken: string): string => `${baseUrl}/ping/${pingToken}`

/** Brings the timer in line with a check that was created or changed; belongs in the same transaction. */
export const syncHeartbeat = async (
  trx: Db,
  { checkId, accountId, activated, heartbeat, now }: HeartbeatToSync,
): Promise<void> => {
  const before = await trx.get(lockHeartbeat, { checkId })
  const periodMs = durationMs(heartbeat.period, heartbeat.periodUnit)
  const graceMs = durationMs(heartbeat.grace, heartbeat.graceUnit)
  const timer: Timer = before
    ? { ...timerOf(before), periodMs, graceMs }
    : { periodMs, graceMs, state: 'waiting', lastPingAt: null, expectedAt: null, deadlineAt: null }
  const changed =
    before !== undefined &&
    (before.period_ms !== periodMs || before.grace_ms !== graceMs || !before.activated)
  const next = !activated ? stopTimer(timer) : changed ? restartTimer(timer, now) : timer
  await trx.run(upsertHeartbeat, {
    ...rowOf(next),
    check_id: checkId,
    account_id: accountId,
    ping_token: heartbeat.pingToken,
    activated,
  })
}

export const dropHeartbeat = async (trx: Db, checkId: string): Promise<void> => {
  await trx.run(deleteHeartbeat, { checkId })
}

export const timerOf = (row: HeartbeatsTable): Timer => ({
  periodMs: row.period_ms,
  graceMs: row.grace_ms,
  state: row.state as Timer['state'],
  lastPingAt: row.last_ping_at,
  expectedAt: row.expected_at,
  deadlineAt: row.deadline_at,
})

export const rowOf = (timer: Timer) => ({
  period_ms: timer.periodMs,
  grace_ms: timer.graceMs,
  state: timer.state,
  last_ping_at: timer.lastPingAt,
  expected_at: timer.expectedAt,
  deadline_at: timer.deadlineAt,
})

const timersAtOnce = 500

/**
 * Our own downtime raises no alarm: whoever was to ping while we were away gets the grace from `now`, its end, on. A few at a
 * time, each piece by itself; doing it again changes nothing.
 */
export const forgiveDowntime = async (
  db: Db,
  { downSince, now }: { downSince: number; now: number },
): Promise<void> => {
  const awaited = { downSince, expectedBy: now + maxToleranceMs, limit: timersAtOnce }
  let afterId: string | undefined = ''
  while (afterId !== undefined) {
    const rows: HeartbeatsTable[] = await db.all(awaitedSince, { ...awaited, afterId })
    const moves = rows.flatMap((row) => graceFrom(row, now))
    if (moves.length > 0) await db.run(moveDeadlines, { moves })
    afterId = rows.length < timersAtOnce ? undefined : rows.at(-1)?.check_id
  }
}

const graceFrom = ({ check_id, deadline_at: was, grace_ms, period_ms }: HeartbeatsTable, now: number) => {
  const graceEnds = now + restartGraceMs({ graceMs: grace_ms, periodMs: period_ms })
  return was === null || was >= graceEnds ? [] : [{ check_id, was, deadline_at: graceEnds }]
}
