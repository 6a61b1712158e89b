import type { Db } from '../database/db.ts'
import { timerOf } from './heartbeat.ts'
import { type EventState, receivePing } from './heartbeat-timer.ts'
import { lockHeartbeatByToken } from './queries.ts'
import { type Happening, recordEvent } from './record-event.ts'

/** `state`: the event, null when a deactivated check counted none; `wake`: names to wake after the commit. */
export type TakenPing = { state: EventState | null; wake: string[] }

/** Counts a ping; undefined when no check has the token. */
export const takePing = async (
  trx: Db,
  token: string,
  happening: Happening & { newId(): string },
): Promise<TakenPing | undefined> => {
  const row = await trx.get(lockHeartbeatByToken, { token })
  if (!row) return undefined
  if (row.activated === 0) return { state: null, wake: [] }
  const { timer, event } = receivePing(timerOf(row), happening.now)
  const wake = await recordEvent(trx, row, happening, { timer, event, newId: happening.newId })
  return { state: event, wake }
}
