import type { Socket } from 'node:net'
import type { TimerClock } from '../../../protocol/clock.ts'

/** Bytes that are read at most. */
export const maxHeardBytes = 64 * 1024

/** A peer that has answered and then says nothing for so long has said it all. */
export const quietMs = 500

export type EndedBy = 'close' | 'quiet' | 'silence' | 'limit'

/** Filled in while the peer speaks, so that a deadline loses nothing. Instants are on the monotonic clock. */
export type Heard = { parts: Buffer[]; bytes: number; lastAt: number | null }

export type Hearing = {
  heard: Heard
  /** How long the first byte may take before the peer counts as silent; null: for ever. */
  silenceMs: number | null
  clock: TimerClock
  /** Called once, when the first bytes have come. */
  onFirst(): void
}

/** Reads until the peer closes, is quiet, or has sent the most that is read. An error is the socket's own. */
export const hear = (
  socket: Socket,
  { heard, silenceMs, clock, onFirst }: Hearing,
): Promise<EndedBy | Error> =>
  new Promise((resolve) => {
    const finish = (end: EndedBy | Error): void => {
      cancel()
      socket.removeAllListeners('data').pause()
      resolve(end)
    }
    let cancel = silenceMs === null ? () => undefined : clock.at(silenceMs, () => finish('silence'))
    socket.on('data', (part: Buffer) => {
      cancel()
      if (heard.lastAt === null) onFirst()
      heard.lastAt = clock.monotonic()
      const kept = part.subarray(0, maxHeardBytes - heard.bytes)
      heard.parts.push(kept)
      heard.bytes += kept.length
      if (heard.bytes === maxHeardBytes) finish('limit')
      else cancel = clock.at(quietMs, () => finish('quiet'))
    })
    socket.once('end', () => {
      heard.lastAt ??= clock.monotonic()
      finish('close')
    })
    socket.once('error', finish)
    socket.once('close', () => finish('close'))
  })
