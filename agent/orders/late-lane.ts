/**
 * Late reports on their way to the control plane: beside the live ones and behind them, the newest due times first, at a bounded rate. Nothing
 * is sent before the control plane has answered a claim.
 *
 * Invariant: a report leaves the disk only when the control plane has said what became of it, `later` apart, or when it can never be accepted,
 * which is logged.
 */
import type { ReportResponse } from '../../protocol/agent-api.ts'
import type { ToldMeanwhile } from '../../protocol/standing-order.ts'
import { type BackOff, createBackOff } from '../base/back-off.ts'
import type { Io } from '../net/io.ts'
import type { Answer } from '../reporting/answer.ts'
import { withDroppedArtifacts } from './dropped-artifacts.ts'
import type { LateBatch, LateBatches } from './late-batches.ts'

export type LateLane = {
  /** A claim was answered: what waits is sent. */
  resume(): void
  /** The control plane is away. */
  pause(): void
  /** Something has come to be sent. */
  offer(): void
  stop(): void
}

type LateLaneOptions = {
  agentId: string
  batches: LateBatches
  io: Pick<Io, 'clock' | 'random' | 'log'>
  send(body: string, signal: AbortSignal): Promise<Answer<ReportResponse>>
  /** Resolves when no live report waits, or the signal aborts. */
  untilLiveAreSent(signal: AbortSignal): Promise<void>
  /** Whether a file of a run is still kept. */
  hasArtifact(jobId: string, name: string): boolean
  told(): readonly ToldMeanwhile[]
  onToldTaken(): void
  onSettled(jobId: string, outcome: string): void
}

/** Of one agent; three of them drain an hour of two thousand checks in seven minutes. */
const lateReportsPerSecond = 100
const maxRequestReports = 100
const maxRequestLength = 500_000
/** Live reports that never end would hold up the others for ever. */
const patienceMs = 2000
/** A control plane that is busy takes its time over a request, in which live reports wait: it then rests for so many times as long. */
const restOfAnswer = 4
const longestRestMs = 10_000
/** Agents that come back together do not begin to drain together. */
const firstWaitMs = 1000

type State = LateLaneOptions & {
  stopped: AbortController
  /** Aborted while the control plane is away. */
  open: AbortController
  draining: boolean
  backOff: BackOff
}

export const createLateLane = (options: LateLaneOptions): LateLane => {
  const state: State = {
    ...options,
    stopped: new AbortController(),
    open: aborted(),
    draining: false,
    backOff: createBackOff(options.io),
  }
  return {
    resume: () => {
      state.backOff.wake()
      if (state.open.signal.aborted) state.open = new AbortController()
      drain(state)
    },
    pause: () => state.open.abort(),
    offer: () => drain(state),
    stop: () => {
      state.stopped.abort()
      state.open.abort()
    },
  }
}

const aborted = (): AbortController => {
  const controller = new AbortController()
  controller.abort()
  return controller
}

const drain = async (state: State): Promise<void> => {
  if (state.draining || isClosed(state) || isEmpty(state)) return
  state.draining = true
  const { io, backOff } = state
  const { signal } = state.open
  await io.clock.sleep(io.random() * firstWaitMs, signal)
  while (!isClosed(state) && !isEmpty(state)) {
    const one = state.batches.newest()
    const delay = one === null ? await tellOnly(state) : await sendBatch(state, one)
    if (delay === null) backOff.reset()
    else await backOff.wait(delay.retryAfterMs, state.open.signal)
  }
  state.draining = false
}

const isClosed = ({ open, stopped }: State): boolean => open.signal.aborted || stopped.signal.aborted
const isEmpty = ({ batches, told }: State): boolean => batches.count() === 0 && told().length === 0

/** Why something is not done with: `retryAfterMs` is what the control plane asks for, or 0. */
type Delay = { retryAfterMs: number }

/** Null when every report of the batch is settled; what is not stays in it. */
const sendBatch = async (state: State, one: LateBatch): Promise<Delay | null> => {
  const { batches, io, onSettled } = state
  const kept: string[] = []
  let lines = batches.linesOf(one)
  let size = maxRequestReports
  while (lines.length > 0) {
    const part = firstOf(lines, size)
    await waitForLive(state)
    const sentAt = io.clock.monotonic()
    const answer = isClosed(state) ? null : await sendPart(state, part)
    const tookMs = io.clock.monotonic() - sentAt
    if (answer?.ok) {
      kept.push(...settle(part, answer.value, onSettled))
    } else if (answer?.reason !== 'refused') {
      batches.keep(one, [...lines, ...kept])
      return answer ?? { retryAfterMs: 0 }
    } else if (part.length > 1) {
      // One of them spoils the request: find it by halves.
      size = Math.ceil(part.length / 2)
      continue
    } else {
      io.log.error(`the control plane can never accept a late result, which is dropped: ${answer.message}`)
      for (const line of part) onSettled(jobIdOf(line), 'refused')
    }
    lines = lines.slice(part.length)
    const restMs = Math.min(longestRestMs, restOfAnswer * tookMs)
    await io.clock.sleep(Math.max(paceMs(part.length, io.random()), restMs), state.open.signal)
  }
  if (kept.length === 0) {
    batches.done(one)
    return null
  }
  batches.postpone(one, kept)
  return { retryAfterMs: 0 }
}

/** What was told meanwhile, where there is no report to send it with. */
const tellOnly = async (state: State): Promise<Delay | null> => {
  const answer = await sendPart(state, [])
  return answer.ok ? null : answer
}

const waitForLive = async ({ io, untilLiveAreSent, open }: State): Promise<void> => {
  const patience = new AbortController()
  const cancel = io.clock.at(patienceMs, () => patience.abort())
  await untilLiveAreSent(AbortSignal.any([patience.signal, open.signal]))
  cancel()
}

const sendPart = async (state: State, lines: readonly string[]): Promise<Answer<ReportResponse>> => {
  const { agentId, told, send, onToldTaken, open, batches, hasArtifact } = state
  const reports = lines.map((line) => withDroppedArtifacts(line, hasArtifact)).join(',')
  const checks = told()
  const more = checks.length === 0 ? '' : `,"told":${JSON.stringify(checks)}`
  const remaining = Math.max(0, (batches.held()?.reports ?? 0) - lines.length)
  const body = `{"agentId":${JSON.stringify(agentId)},"remaining":${remaining},"reports":[${reports}]${more}}`
  const answer = await send(body, open.signal)
  if (answer.ok && checks.length > 0) onToldTaken()
  return answer
}

/** Returns what has to be sent again. */
const settle = (
  lines: readonly string[],
  { outcomes }: ReportResponse,
  onSettled: LateLaneOptions['onSettled'],
): string[] =>
  lines.filter((line, index) => {
    const outcome = outcomes[index]?.outcome ?? 'accepted'
    if (outcome === 'later') return true
    onSettled(jobIdOf(line), outcome)
    return false
  })

const jobIdOf = (line: string): string => (JSON.parse(line) as { jobId: string }).jobId

/** A random half around what the rate asks for: agents that drain together do not stay in step. */
const paceMs = (reports: number, random: number): number =>
  (1000 * reports * (0.75 + random / 2)) / lateReportsPerSecond

/** As many as fit into a request, at least one. */
const firstOf = (lines: readonly string[], limit: number): string[] => {
  let length = 0
  let count = 0
  for (const line of lines.slice(0, limit)) {
    length += line.length
    if (count > 0 && length > maxRequestLength) break
    count += 1
  }
  return lines.slice(0, count)
}
