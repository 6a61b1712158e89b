/**
 * Packet captures of attempts that failed at the network.
 *
 * Nobody knows beforehand which attempt will fail, so the heads of all packets go into a *ring* of files (ring.ts), by a
 * program of its own that the healthy checks do not wait for, and which is late. When an attempt has failed, the ring is
 * given a *mark*; once a *look* finds it written, all packets of the attempt are, and a *pass* over the files *cuts* its
 * *flows* out of them (cut.ts): its connections by their ports and addresses, and the DNS messages about its name.
 *
 * Invariants: a capture of a run holds connections of that run alone, and nothing that an application said; what is
 * missing in it is said; at most one look or pass is under way, however many attempts failed, and it gives way to others
 * again and again.
 */
import type { Socket } from 'node:net'
import type { Flow } from '../../connect/connection.ts'
import type { Io } from '../../io.ts'
import { type CaptureFile, type CutRequest, createCutter } from './cut.ts'
import { firstPacketAt } from './pcap.ts'
import { fileCount, type Ring } from './ring.ts'

/** A capture file, and what is missing in it, for people; or why there is none. */
type CutResult = { file: Buffer; gaps: string[] } | { reason: string }

export type Capture = {
  start(): void
  stop(): Promise<void>
  /** Writes down the ports of a connection that is being opened; costs nothing while nothing is captured. */
  note(socket: Socket, flows: Flow[]): void
  /** Why there is no capture, for people; null while there is. */
  problem(): string | null
  /** The packets of one attempt that has just ended. Takes a few seconds at most. */
  cut(wanted: CutRequest): Promise<CutResult>
}

type CaptureOptions = {
  ring: Ring
  /** The ports of name servers. */
  dnsPorts: ReadonlySet<number>
} & Pick<Io, 'clock' | 'log'>

/** While failures go on and on, all files are read for a small part of the time only. */
const pauseFactor = 10
const longestPauseMs = 1000

/** A connection that is closed takes a moment to say its last words. */
const lastWordsMs = 30
/** How long a mark is given to be written, by how many looks in a row have found nothing. */
const looksAfterMs = [15, 30, 60, 120, 250]
/** A mark that hurries costs some milliseconds. Others are written within a second, or when it is busy at once. */
const hurriesEveryMs = 500
const longestWaitMs = 3000

type PendingCut = {
  request: CutRequest
  /** On the monotonic clock. */
  askedAt: number
  mark: number
  resolve(result: CutResult): void
}

const notMarked = Number.POSITIVE_INFINITY

type CaptureState = CaptureOptions & {
  waiting: PendingCut[]
  looking: boolean
  /** When a mark was last written at once, on the monotonic clock. */
  hurriedAt: number
}

/** Captures nothing before `start`. */
export const createCapture = (options: CaptureOptions): Capture => {
  const { ring, clock } = options
  const state: CaptureState = {
    ...options,
    waiting: [],
    looking: false,
    hurriedAt: Number.NEGATIVE_INFINITY,
  }
  return {
    start: ring.start,
    stop: ring.stop,
    note: (socket, flows) => {
      if (ring.runsSince() !== null) noteFlow(socket, flows)
    },
    problem: () => problemOf(ring),
    cut: (request) =>
      new Promise((resolve) => {
        const reason = problemOf(ring)
        if (reason !== null) return resolve({ reason })
        state.waiting.push({ request, askedAt: clock.monotonic(), mark: notMarked, resolve })
        if (!state.looking) lookUntilDone(state)
      }),
  }
}

const problemOf = (ring: Ring): string | null =>
  ring.runsSince() === null ? (ring.problem() ?? 'tcpdump has not started yet') : null

const lookUntilDone = async (state: CaptureState): Promise<void> => {
  const { clock } = state
  state.looking = true
  let fruitless = 0
  while (state.waiting.length > 0) {
    await clock.sleep(lastWordsMs)
    const givenMs = looksAfterMs[Math.min(fruitless, looksAfterMs.length - 1)] ?? 0
    const passMs = await look(state, givenMs)
    fruitless = passMs === null ? fruitless + 1 : 0
    await clock.sleep(Math.min(longestPauseMs, pauseFactor * (passMs ?? 0)))
  }
  state.looking = false
}

/** Gives a mark this long to be written; resolves with how long the pass took, null if it was nobody's turn. */
const look = async (state: CaptureState, givenMs: number): Promise<number | null> => {
  const { ring, clock, log } = state
  let due: PendingCut[] = []
  let passedAt = clock.monotonic()
  try {
    await mark(state)
    await clock.sleep(givenMs)
    const lastMark = await ring.lastMark(clock.now() - longestWaitMs)
    const reason = problemOf(ring)
    if (reason !== null) refuseAll(state, reason)
    due = takeDue(state, lastMark)
    passedAt = clock.monotonic()
    if (due.length > 0) await pass(state, due, lastMark)
  } catch (error) {
    // The files go with their program. The failures are told without.
    const problem = problemOf(ring)
    if (problem === null) log.warn({ err: error }, 'the packet capture cannot be read')
    const reason = problem ?? 'its files cannot be read'
    refuse(due, reason)
    refuseAll(state, reason)
  }
  return due.length > 0 ? clock.monotonic() - passedAt : null
}

const mark = async (state: CaptureState): Promise<void> => {
  const { ring, clock, waiting } = state
  const hurries = clock.monotonic() - state.hurriedAt >= hurriesEveryMs
  if (hurries) state.hurriedAt = clock.monotonic()
  const written = await ring.mark(hurries)
  for (const one of waiting) one.mark = Math.min(one.mark, written)
}

/** Those whose packets are all written, and those who have waited for long enough; they wait no more. */
const takeDue = (state: CaptureState, lastMark: number): PendingCut[] => {
  const now = state.clock.monotonic()
  const isDue = (one: PendingCut): boolean => one.mark <= lastMark || now - one.askedAt > longestWaitMs
  const due = state.waiting.filter(isDue)
  state.waiting = state.waiting.filter((one) => !isDue(one))
  return due
}

const pass = async (
  { ring, clock, dnsPorts }: CaptureState,
  pending: readonly PendingCut[],
  lastMark: number,
): Promise<void> => {
  const requests = pending.map(({ request }) => request)
  const cutter = createCutter(requests, dnsPorts)
  let [files, oldest] = [0, Number.POSITIVE_INFINITY]
  for await (const file of ring.files(Math.min(...requests.map(({ since }) => since)))) {
    files += 1
    oldest = Math.min(oldest, firstPacketAt(file) ?? oldest)
    for (const _ of cutter.read(file)) await clock.sleep(0)
  }
  const span = { runsSince: ring.runsSince() ?? clock.now(), retainedSince: files < fileCount ? 0 : oldest }
  for (const [index, found] of cutter.results().entries()) {
    const { request, mark, askedAt, resolve } = pending[index] as PendingCut
    const behindMs = mark <= lastMark ? null : clock.monotonic() - askedAt
    resolve(resultOf(found, { gone: goneOf(request.since, span), behindMs }))
  }
}

const refuse = (pending: readonly PendingCut[], reason: string): void => {
  for (const { resolve } of pending) resolve({ reason })
}

const refuseAll = (state: CaptureState, reason: string): void => {
  refuse(state.waiting, reason)
  state.waiting = []
}

/** Since when tcpdump runs, and since when its packets have not been overwritten; epoch milliseconds. */
type CaptureSpan = { runsSince: number; retainedSince: number }

/** What is known to be gone of an attempt, null if nothing. */
const goneOf = (since: number, { runsSince, retainedSince }: CaptureSpan): string | null => {
  if (since < runsSince) return `tcpdump was not running for its first ${seconds(runsSince - since)}`
  if (since < retainedSince)
    return `the packets of its first ${seconds(retainedSince - since)} have been overwritten`
  return null
}

const seconds = (durationMs: number): string => `${(Math.ceil(durationMs / 100) / 10).toFixed(1)} s`

type CaptureGaps = { gone: string | null; behindMs: number | null }

const resultOf = (found: CaptureFile | null, { gone, behindMs }: CaptureGaps): CutResult => {
  const behind = behindMs === null ? null : `tcpdump was still behind after ${seconds(behindMs)}`
  if (found === null) {
    const unseen = 'no packet of the attempt was seen'
    return { reason: behind ?? (gone === null ? unseen : `${unseen}, and ${gone}`) }
  }
  const lost = found.beginsWithSyn ? null : 'the first packets of a connection were lost on their way into it'
  const gap = gone ?? lost
  const gaps = [
    ...(gap === null ? [] : [`The capture is not whole: ${gap}`]),
    ...(behind === null ? [] : [`The end of the capture may be missing: ${behind}`]),
  ]
  return { file: found.file, gaps }
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
  cut: async () => ({ reason: 'CAPTURE is off' }),
}
