import { codeOf } from '../connect/failures.ts'
import type { Family } from '../connect/lookup.ts'
import type { Io } from '../io.ts'
import { encodeEchoRequest } from './icmp-packet.ts'
import { type Arrival, isRouteError, type PingSocket } from './ping-socket.ts'

/** One ping of a series. `rtt` in milliseconds. `answer`: the ICMP message that settled it, if any. */
export type Ping = {
  sequence: number
  rtt: number | null
  ttl: number | null
  answer: { type: number; code: number; from: string | null } | null
  /** The system's name for why the packet could not leave. */
  error: string | null
}

/** `duplicates`: further replies to a ping; `late`: first replies after its time was over. Neither changes a ping. */
export type Series = { pings: Ping[]; duplicates: number; late: number }

export type SeriesOptions = {
  family: Family
  count: number
  intervalMs: number
  /** How long a reply may take. */
  replyTimeoutMs: number
}

type SentPing = Ping & { sentAt: number; sentMonotonic: number; isLate: boolean }

/**
 * Sends `count` pings, one each interval, and collects what comes back until each has its answer or its time is over.
 * Ends early, with what it has, when the signal aborts. Throws only for errors of this machine.
 *
 * Arrivals carry the kernel's time stamp, so the socket need not be watched: it is looked at when the next ping is due,
 * and in between at growing intervals. How busy this process is does not show in the round-trip times. Without stamps it does,
 * and the socket is looked at so often that the wait for a look is a small part of a round trip.
 */
export const pingSeries = async (
  socket: PingSocket,
  options: SeriesOptions,
  { io, signal }: { io: Io; signal: AbortSignal },
): Promise<Series> => {
  const { clock } = io
  const sent: SentPing[] = []
  const series: Series = { pings: sent, duplicates: 0, late: 0 }
  const own = {
    id: Math.floor(io.random() * 0x10000),
    token: Buffer.from(io.newId().replaceAll('-', ''), 'hex'),
  }
  const look = (): void => {
    for (const arrival of socket.arrivals()) {
      const ping = matching(arrival, { sent, socket, ...own })
      if (ping !== undefined) settle(arrival, { ping, series, now: clock.monotonic(), ...options })
    }
  }
  const lookUntil = async (end: number): Promise<void> => {
    for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
      look()
      const now = clock.monotonic()
      const leftMs = end - now
      if (leftMs <= 0) return
      const newest = sent.findLast(
        (ping) => isOpen(ping) && now - ping.sentMonotonic <= options.replyTimeoutMs,
      )
      if (newest === undefined && sent.length === options.count) return
      if (!socket.isStamped && newest !== undefined) pauseMs = unstampedPauseMs(now - newest.sentMonotonic)
      await clock.sleep(newest === undefined ? leftMs : Math.min(pauseMs, leftMs), signal)
    }
  }
  await clock.sleep(settlingMs, signal)
  const started = clock.monotonic()
  for (let sequence = 0; sequence < options.count && !signal.aborted; sequence += 1) {
    sent.push(sendOne(socket, encodeEchoRequest(options.family, { sequence, ...own }), { sequence, io }))
    const isLast = sequence === options.count - 1
    await lookUntil(
      isLast ? clock.monotonic() + options.replyTimeoutMs : started + (sequence + 1) * options.intervalMs,
    )
  }
  if (signal.aborted) look()
  return series
}

/** The kernel turns its time stamps on a moment after the first socket asks for them. */
const settlingMs = 20
const firstPauseMs = 1
const longestPauseMs = 64

const unstampedPauseMs = (waitedMs: number): number =>
  Math.min(longestPauseMs, Math.max(firstPauseMs, waitedMs / 16))

const isOpen = ({ answer, error, isLate }: SentPing): boolean => answer === null && error === null && !isLate

const sendOne = (
  socket: PingSocket,
  packet: Buffer,
  { sequence, io }: { sequence: number; io: Io },
): SentPing => {
  const nothing = { sequence, rtt: null, ttl: null, answer: null, isLate: false }
  const sentMonotonic = io.clock.monotonic()
  try {
    return { ...nothing, error: null, sentAt: socket.send(packet), sentMonotonic }
  } catch (error) {
    if (!isRouteError(error)) throw error
    return { ...nothing, error: codeOf(error), sentAt: io.clock.now(), sentMonotonic }
  }
}

type EchoOwner = { sent: SentPing[]; socket: PingSocket; id: number; token: Buffer }

/** The ping that an arrival is about: same id, same sequence number and, in a reply, our token in its data. */
const matching = ({ kind, echo }: Arrival, { sent, socket, id, token }: EchoOwner): SentPing | undefined => {
  if (!socket.kernelId && echo.id !== id) return undefined
  // An error quotes as much of the packet as its sender likes, a reply all of it.
  if (kind === 'reply' && !echo.data.subarray(0, token.length).equals(token)) return undefined
  return sent[echo.sequence]
}

type ReplyContext = { ping: SentPing; series: Series; now: number; family: Family; replyTimeoutMs: number }

const settle = (arrival: Arrival, { ping, series, now, family, replyTimeoutMs }: ReplyContext): void => {
  if (arrival.kind === 'error') {
    const { type, code, from } = arrival
    if (isOpen(ping) && isFinal(family, type)) ping.answer = { type, code, from }
    return
  }
  if (ping.rtt !== null || ping.isLate) {
    series.duplicates += 1
    return
  }
  const rtt = roundTrip(arrival.at, ping, now)
  if (rtt > replyTimeoutMs) {
    ping.isLate = true
    series.late += 1
    return
  }
  ping.rtt = rtt
  ping.ttl = arrival.hopLimit
  ping.error = null
  ping.answer = { type: arrival.echo.type, code: arrival.echo.code, from: null }
}

/** The kernel's stamps are wall clock times: where they were moved in between, our own clock has to do. */
const roundTrip = (arrivedAt: number | null, { sentAt, sentMonotonic }: SentPing, now: number): number => {
  const elapsedMs = now - sentMonotonic
  const stamped = arrivedAt === null ? -1 : arrivedAt - sentAt
  return stamped >= 0 && stamped <= elapsedMs + 1 ? stamped : elapsedMs
}

/** Unreachable, time exceeded, bad parameter; a redirect or a request to slow down does not mean that the packet was lost. */
const isFinal = (family: Family, type: number): boolean =>
  (family === 4 ? [3, 11, 12] : [1, 2, 3, 4]).includes(type)
