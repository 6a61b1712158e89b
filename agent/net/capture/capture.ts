/**
 * Packet captures of attempts that failed at the network.
 *
 * Nobody knows beforehand which attempt will fail, so the heads of all packets go into a *ring* of files (ring.ts), by a
 * program of its own that the healthy checks do not wait for. When an attempt has failed, its *flows* are *cut* out of the
 * ring (cut.ts): its connections by their ports and addresses, and the DNS messages about its name.
 *
 * Invariants: a capture of a run holds packets of that run alone, and nothing that an application said; at most one pass
 * over the ring is under way, however many attempts failed, and it gives way to others again and again.
 */
import type { Socket } from 'node:net'
import type { Io } from '../../io.ts'
import { createCutter, type Flow, type Wanted } from './cut.ts'
import type { Ring } from './ring.ts'

export type Capture = {
  start(): void
  stop(): Promise<void>
  /** Writes down the ports of a connection that is being opened; costs nothing while nothing is captured. */
  note(socket: Socket, flows: Flow[]): void
  /** Why there is no capture, for people; null while there is. */
  problem(): string | null
  /** A capture file of one attempt that has just ended; null if the ring has none of its packets. */
  cut(wanted: Wanted): Promise<Buffer | null>
}

export type CaptureOptions = { ring: Ring } & Pick<Io, 'clock' | 'log'>

/** While failures go on and on, the ring is read for a small part of the time only. */
const pauseFactor = 10
const longestPauseMs = 1000

/** The last packets of an attempt need a moment into the ring, and a busy machine a longer one. */
const looksAfterMs = [30, 120, 400]

type Asked = { wanted: Wanted; looks: number; resolve(file: Buffer | null): void }

export const createCapture = ({ ring, clock, log }: CaptureOptions): Capture => {
  let waiting: Asked[] = []
  let looking = false
  let restsUntil = 0

  const look = async (asked: Asked[]): Promise<void> => {
    const cutter = createCutter(asked.map(({ wanted }) => wanted))
    const since = Math.min(...asked.map(({ wanted }) => wanted.since))
    for await (const file of ring.files(since)) for (const _ of cutter.read(file)) await clock.sleep(0)
    for (const [index, file] of cutter.results().entries()) {
      const one = asked[index] as Asked
      one.looks += 1
      if (file === null && one.looks < looksAfterMs.length) waiting.push(one)
      else one.resolve(file)
    }
  }

  const lookUntilDone = async (): Promise<void> => {
    looking = true
    while (waiting.length > 0) {
      const tried = Math.min(...waiting.map(({ looks }) => looks))
      await clock.sleep(Math.max(looksAfterMs[tried] ?? 0, restsUntil - clock.monotonic()))
      const asked = waiting
      const started = clock.monotonic()
      waiting = []
      try {
        await look(asked)
      } catch (error) {
        // Also when the ring has ended, and its files with it. The failures are told without.
        log.warn({ err: error }, 'the packet capture cannot be read')
        for (const { resolve } of asked) resolve(null)
      }
      const ended = clock.monotonic()
      restsUntil = ended + Math.min(longestPauseMs, pauseFactor * (ended - started))
    }
    looking = false
  }

  return {
    start: ring.start,
    stop: ring.stop,
    note: (socket, flows) => {
      if (ring.running()) noteFlow(socket, flows)
    },
    problem: () => (ring.running() ? null : (ring.problem() ?? 'tcpdump has not started yet')),
    cut: (wanted) =>
      new Promise((resolve) => {
        if (!ring.running()) return resolve(null)
        waiting.push({ wanted, looks: 0, resolve })
        if (!looking) lookUntilDone()
      }),
  }
}

/** The kernel chooses the port when the connection is asked for, and a socket that was refused knows it no more. */
const noteFlow = (socket: Socket, flows: Flow[]): void => {
  socket.once('connectionAttempt', (remoteAddress: string, remotePort: number) =>
    queueMicrotask(() => {
      const { localPort } = socket
      if (localPort !== undefined)
        flows.push({ localPort, remoteAddress, remotePort, secure: 'getPeerX509Certificate' in socket })
    }),
  )
}

/** What there is when CAPTURE is off. */
export const noCapture: Capture = {
  start: () => undefined,
  stop: async () => undefined,
  note: () => undefined,
  problem: () => 'CAPTURE is off',
  cut: async () => null,
}
