import type { Socket } from 'node:net'
import type { TimerClock } from '../../../protocol/clock.ts'

/** Bytes that are read at most. */
const maxReadBytes = 64 * 1024

/** A peer that has answered and then says nothing for so long has said it all. */
const quietMs = 500

/** Why reading ended: the peer closed, was quiet after its words, said nothing, or had sent the most that is read. */
export type ReadEnd = 'close' | 'quiet' | 'silence' | 'limit'

/** Filled in while the peer speaks, so that a deadline loses nothing. Instants are on the monotonic clock. */
export type PeerData = { parts: Buffer[]; bytes: number; lastAt: number | null }

type ReadOptions = {
  received: PeerData
  /** How long the first byte may take before the peer counts as silent; null: for ever. */
  silenceMs: number | null
  clock: TimerClock
  /** Called once, when the first bytes have come. */
  onFirst(): void
}

/** Reads until the peer closes, is quiet, or has sent the most that is read. An error is the socket's own. */
export const readUntilQuiet = (
  socket: Socket,
  { received, silenceMs, clock, onFirst }: ReadOptions,
): Promise<ReadEnd | Error> =>
  new Promise((resolve) => {
    const finish = (end: ReadEnd | Error): void => {
      cancel()
      socket.removeAllListeners('data').pause()
      resolve(end)
    }
    let cancel = silenceMs === null ? () => undefined : clock.at(silenceMs, () => finish('silence'))
    socket.on('data', (part: Buffer) => {
      cancel()
      if (received.lastAt === null) onFirst()
      received.lastAt = clock.monotonic()
      const kept = part.subarray(0, maxReadBytes - received.bytes)
      received.parts.push(kept)
      received.bytes += kept.length
      if (received.bytes === maxReadBytes) finish('limit')
      else cancel = clock.at(quietMs, () => finish('quiet'))
    })
    socket.once('end', () => {
      received.lastAt ??= clock.monotonic()
      finish('close')
    })
    socket.once('error', finish)
    socket.once('close', () => finish('close'))
  })
