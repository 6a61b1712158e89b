import type { Db } from '../../../platform/store/database/db.ts'
import type { FinishedRun } from '../../outcomes/finished-runs.ts'
import { noteLateResults } from '../../results/rollups/late-results.ts'
import { rowOf, timerOf } from '../../schedule/heartbeat.ts'
import { lockPinged, moveTimers } from '../../schedule/heartbeat-queries.ts'
import { type EventState, receivePing } from '../../schedule/heartbeat-timer.ts'
import { touchStatuses } from '../check-statuses/queries.ts'
import { insertEvents, resultOfEvent } from './queries.ts'
import {
  type EventOrigin,
  eventOf,
  finishedEvent,
  type HeartbeatRow,
  recordEvent,
  recordEventStatus,
} from './record-event.ts'

/** `token`: in lower case. */
export type Ping = EventOrigin & { token: string }

/** `state`: the event, null when a deactivated check counted none; `wake`, `finished`: whom to wake and what to tell after the commit. */
export type PingOutcome = { state: EventState | null; wake: string[]; finished: FinishedRun | null }

/** A timer after the last of its pings, which came at `now`. */
type TimerMove = { row: HeartbeatRow; now: number }

/**
 * Counts pings in their order, with one read for all of them; undefined where no check has the token. Of a check that is
 * well, a ping is a result, and the last one moves timer and status.
 */
export const storePings = async (
  trx: Db,
  pings: readonly Ping[],
  newId: () => string,
): Promise<Array<PingOutcome | undefined>> => {
  const tokens = [...new Set(pings.map(({ token }) => token))]
  const rows = new Map((await trx.all(lockPinged, { tokens })).map((row) => [row.ping_token, row]))
  const well = new Map<string, TimerMove>()
  const events: Array<ReturnType<typeof eventOf>> = []
  const taken: Array<PingOutcome | undefined> = []
  for (const ping of pings) {
    const row = rows.get(ping.token)
    if (row === undefined || !row.activated) {
      taken.push(row && { state: null, wake: [], finished: null })
      continue
    }
    const { timer, event } = receivePing(timerOf(row), ping.now)
    const moved = { ...row, ...rowOf(timer) }
    rows.set(ping.token, moved)
    const finished = finishedEvent(row, ping, event)
    if (row.state === 'running') {
      events.push(eventOf(row, ping, event))
      well.set(row.check_id, { row: moved, now: ping.now })
      taken.push({ state: event, wake: [], finished })
    } else
      taken.push({ state: event, wake: await recordEvent(trx, row, ping, { timer, event, newId }), finished })
  }
  await insertEvents(trx, events)
  await noteLateResults(trx, events.map(resultOfEvent))
  await moveAll(trx, well)
  return taken
}

/** Writes where the timers and the statuses stand after the pings. */
const moveAll = async (trx: Db, well: ReadonlyMap<string, TimerMove>): Promise<void> => {
  if (well.size === 0) return
  const moves = [...well.values()]
  await trx.run(moveTimers, {
    timers: moves.map(({ row: { check_id, state, last_ping_at, expected_at, deadline_at } }) => ({
      ...{ check_id, state, last_ping_at, expected_at, deadline_at },
    })),
  })
  const touched = await trx.all(touchStatuses, {
    touches: moves.map(({ row, now }) => ({ touched_id: row.check_id, at: now })),
  })
  if (touched.length === moves.length) return
  const passing = new Set(touched.map(({ check_id }) => check_id))
  for (const { row, now } of moves)
    if (!passing.has(row.check_id)) await recordEventStatus(trx, row, { failing: false, now })
}
