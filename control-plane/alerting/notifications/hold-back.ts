/**
 * What waits for the hours of its channel is a row of the outbox that is due when they begin. Whatever happens to its check meanwhile takes its
 * place: of a line one waits at most, a failure that is over is told to nobody, and neither is its recovery. What a channel was told of
 * before keeps its recovery, at once.
 */

import type { Db } from '../../platform/store/database/db.ts'
import { type ChannelHours, canWait, opensAt } from '../alert-channels/channel-hours.ts'
import type { AlertEvent } from '../messages/alert-event.ts'
import type { Gathering } from './gathering.ts'
import { type Held, heldOfChecks, withdrawHeld } from './held-queries.ts'

/**
 * `isFirst`: nobody was told of this failure before; `afterFailure`: people were, not only of a degradation. `gathering`: what decides with what it is told together;
 * left out: nothing does. `gather`: it is told together with whatever has the same.
 */
export type Notice = {
  event: AlertEvent
  to: readonly number[]
  isFirst?: boolean
  afterFailure?: boolean
  gathering?: Gathering
  gather?: string
}

export type ReceivingChannel = { id: number; hours: ChannelHours | null; sendDegraded: boolean }

/** `dueAt` null: it is written down as withdrawn, for `reason`. */
type Placed<C> = {
  notice: Notice
  event: AlertEvent
  channel: C
  dueAt: number | null
  held: Held | null
  reason: string | null
}

/** `id` null: it is one of these notices. */
type Waiting = { id: string | null; held: Held; place: { dueAt: number | null; reason: string | null } }

const reasons = {
  over: 'Not sent: it was over before the hours of the channel began',
  overUntold: 'Not sent: what it is the end of was over before the hours of the channel began',
  replaced: 'Not sent: what followed before the hours of the channel began took its place',
  reminder: 'Not sent: an earlier message waits for the hours of the channel',
}

/** In their order. */
export const placed = async <C extends ReceivingChannel>(
  trx: Db,
  notices: readonly Notice[],
  { channels, now }: { channels: ReadonlyMap<number, C>; now: number },
): Promise<Placed<C>[]> => {
  const opening = openingOf(now)
  const waiting = await waitingOf(trx, notices)
  const withdrawn = new Map<string, string>()
  const withdraw = (line: string, reason: string): Held | null => {
    const one = waiting.get(line)
    if (one === undefined) return null
    waiting.delete(line)
    if (one.id !== null) withdrawn.set(one.id, reason)
    Object.assign(one.place, { dueAt: null, reason })
    return one.held
  }
  const place = (notice: Notice, channel: C): Placed<C> => {
    const { event } = notice
    const line = `${event.checkId} ${channel.id}`
    const dueAt = opening(channel, event)
    const at = (held: Held | null) => ({
      notice,
      event,
      channel,
      dueAt,
      held: dueAt > now ? held : null,
      reason: null,
    })
    if (event.ssl !== null || event.location !== null) return at('ALONE')
    const before = waiting.get(line)
    const isReminder = event.reminder > 0 && !event.comesBack
    if (before !== undefined && isReminder && dueAt > now)
      return { ...at(null), dueAt: null, reason: reasons.reminder }
    const kind = withdraw(line, reasons.replaced) ?? (opens(notice, channel) ? 'OPENING' : 'FOLLOWING')
    const own = at(kind)
    if (own.held !== null) waiting.set(line, { id: null, held: kind, place: own })
    return own
  }
  const endedBy = (notice: Notice): Placed<C>[] => {
    const { event, to } = notice
    const untold = new Set<number>()
    for (const line of [...waiting.keys()].filter((one) => one.startsWith(`${event.checkId} `)))
      if (withdraw(line, reasons.over) === 'OPENING') untold.add(Number(line.split(' ')[1]))
    return known(to, channels).map((channel) =>
      untold.has(channel.id)
        ? { notice, event, channel, dueAt: null, held: null, reason: reasons.overUntold }
        : { notice, event, channel, dueAt: now, held: null, reason: null },
    )
  }
  const all = notices.flatMap((notice) =>
    isRecovery(notice.event) && notice.event.location === null
      ? endedBy(notice)
      : known(notice.to, channels).map((channel) => place(notice, channel)),
  )
  for (const [reason, ids] of Map.groupBy(withdrawn.keys(), (id) => withdrawn.get(id) ?? ''))
    await withdrawHeld(trx, ids, reason)
  return all
}

const known = <C>(ids: readonly number[], channels: ReadonlyMap<number, C>): C[] =>
  ids.flatMap((id) => channels.get(id) ?? [])

export const isRecovery = ({ alertType }: AlertEvent): boolean =>
  alertType === 'ALERT_RECOVERY' || alertType === 'ALERT_DEGRADED_RECOVERY'

/** A channel that hears of no degradation was told of none. */
const opens = (
  { event, isFirst = event.reminder === 0, afterFailure = false }: Notice,
  { sendDegraded }: ReceivingChannel,
): boolean => isFirst || (!sendDegraded && !afterFailure)

/** Each channel's hours are looked at once. */
const openingOf = (now: number) => {
  const byChannel = new Map<number, number>()
  return ({ id, hours }: ReceivingChannel, { severity, location }: AlertEvent): number => {
    if (hours === null || location !== null || !canWait(hours, severity)) return now
    const at = byChannel.get(id) ?? opensAt(hours, now)
    byChannel.set(id, at)
    return at
  }
}

/** What waits of these checks, by line. */
const waitingOf = async (trx: Db, notices: readonly Notice[]): Promise<Map<string, Waiting>> => {
  const checkIds = [...new Set(notices.map(({ event }) => event.checkId))]
  const rows = await trx.all(heldOfChecks, { checkIds })
  return new Map(
    rows.map(({ id, check_id, channel_id, held }) => [
      `${check_id} ${channel_id}`,
      { id, held: held as Held, place: { dueAt: null, reason: null } },
    ]),
  )
}
