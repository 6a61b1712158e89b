/**
 * Heartbeat checks: somebody else's job pings a secret address, and the check fails when the ping stays away.
 *
 * Words: the *timer* (heartbeat-timer.ts) says when a ping is expected; an *event* is a ping or an alarm. Invariant: the
 * timer moves under the lock of its row, with its event and the check's status in the same transaction.
 */

import { recordStatus } from '../check-statuses/queries.ts'
import type { Db } from '../database/db.ts'
import type { HeartbeatsTable } from '../database/tables/heartbeats.ts'
import { checksById } from '../runs/check-queries.ts'
import { insertResult } from '../runs/result-queries.ts'
import {
  durationMs,
  type EventState,
  raiseAlarm,
  receivePing,
  restartTimer,
  stopTimer,
  type Timer,
  type TimeUnit,
} from './heartbeat-timer.ts'
import {
  deleteHeartbeat,
  deleteHeartbeatEvents,
  insertHeartbeatEvent,
  lockHeartbeat,
  upsertHeartbeat,
} from './queries.ts'

/** As a check declares it. */
export type HeartbeatSettings = {
  period: number
  periodUnit: TimeUnit
  grace: number
  graceUnit: TimeUnit
  pingToken: string
}

type Saved = {
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
  { checkId, accountId, activated, heartbeat, now }: Saved,
): Promise<void> => {
  const before = await trx.get(lockHeartbeat, { checkId })
  const periodMs = durationMs(heartbeat.period, heartbeat.periodUnit)
  const graceMs = durationMs(heartbeat.grace, heartbeat.graceUnit)
  const timer: Timer = before
    ? { ...timerOf(before), periodMs, graceMs }
    : { periodMs, graceMs, state: 'waiting', lastPingAt: null, expectedAt: null, deadlineAt: null }
  const changed =
    before !== undefined &&
    (before.period_ms !== periodMs || before.grace_ms !== graceMs || before.activated === 0)
  const next = !activated ? stopTimer(timer) : changed ? restartTimer(timer, now) : timer
  await trx.run(upsertHeartbeat, {
    ...rowOf(next),
    check_id: checkId,
    account_id: accountId,
    ping_token: heartbeat.pingToken,
    activated: activated ? 1 : 0,
  })
}

export const dropHeartbeat = async (trx: Db, checkId: string): Promise<void> => {
  await trx.run(deleteHeartbeat, { checkId })
  await trx.run(deleteHeartbeatEvents, { checkId })
}

type Happening = { now: number; id: string }

/** Counts a ping; a deactivated check counts none. Returns the event, or null when there was none. */
export const takePing = async (
  trx: Db,
  checkId: string,
  { now, id, source, userAgent }: Happening & { source: string | null; userAgent: string | null },
): Promise<EventState | null> => {
  const row = await trx.get(lockHeartbeat, { checkId })
  if (!row || row.activated === 0) return null
  const { timer, event } = receivePing(timerOf(row), now)
  await record(trx, { ...row, ...rowOf(timer) }, { now, id, event, source, userAgent })
  return event
}

/** Raises the alarm if the ping is still overdue: another control plane or a late ping may have been faster. */
export const takeAlarm = async (trx: Db, checkId: string, { now, id }: Happening): Promise<void> => {
  const row = await trx.get(lockHeartbeat, { checkId })
  if (!row || row.deadline_at === null || row.deadline_at >= now) return
  const timer = raiseAlarm(timerOf(row), now)
  const happened = { now, id, event: 'FAILING', source: null, userAgent: null } as const
  await record(trx, { ...row, ...rowOf(timer) }, happened)
}

type Event = Happening & { event: EventState; source: string | null; userAgent: string | null }

const record = async (
  trx: Db,
  row: HeartbeatsTable,
  { now, id, event, source, userAgent }: Event,
): Promise<void> => {
  const { check_id, account_id } = row
  await trx.run(upsertHeartbeat, row)
  await trx.run(insertResult, await resultOf(trx, row, { now, id, event }))
  await trx.run(insertHeartbeatEvent, {
    id,
    check_id,
    account_id,
    state: event,
    at: now,
    source,
    user_agent: userAgent,
  })
  const failing = event === 'FAILING'
  await trx.run(recordStatus, {
    checkId: check_id,
    accountId: account_id,
    state: failing ? 'failing' : 'passing',
    hasFailures: failing,
    hasErrors: false,
    isDegraded: false,
    runMs: 0,
    location: '',
    checkRunId: now,
    startedAt: now,
    sslDaysRemaining: null,
    now,
  })
}

/** The event as the check's results show it: a ping passes, an alarm fails. */
const resultOf = async (
  trx: Db,
  { check_id, account_id }: HeartbeatsTable,
  { now, id, event }: Happening & { event: EventState },
) => {
  const [check] = await trx.all(checksById, { ids: JSON.stringify([check_id]) })
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
    doc: JSON.stringify({
      name: check?.name ?? '',
      state: event,
      error: failing ? 'No ping came before the end of the grace period' : null,
    }),
  }
}

const timerOf = (row: HeartbeatsTable): Timer => ({
  periodMs: row.period_ms,
  graceMs: row.grace_ms,
  state: row.state as Timer['state'],
  lastPingAt: row.last_ping_at,
  expectedAt: row.expected_at,
  deadlineAt: row.deadline_at,
})

const rowOf = (timer: Timer) => ({
  period_ms: timer.periodMs,
  grace_ms: timer.graceMs,
  state: timer.state,
  last_ping_at: timer.lastPingAt,
  expected_at: timer.expectedAt,
  deadline_at: timer.deadlineAt,
})
