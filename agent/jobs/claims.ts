import type { ClaimRequest } from '../../protocol/agent-api.ts'
import type { BackOff } from '../base/back-off.ts'
import type { Io } from '../net/io.ts'
import type { Answer, Refusal } from '../reporting/answer.ts'
import type { ClaimAnswer } from '../reporting/control-plane.ts'

/** How many jobs of each queue an agent can take in. */
export type Capacity = Pick<ClaimRequest, 'maxUptime' | 'maxMain'>

/** What an agent may learn of itself and of its runs while it polls. */
export type Offer = Partial<
  Pick<
    ClaimRequest,
    'finished' | 'isolation' | 'checkTypes' | 'runtimeIds' | 'playwrightRuntimeIds' | 'orders' | 'lacks'
  >
>

export type ClaimOptions = {
  io: Pick<Io, 'clock'>
  identity: Pick<
    ClaimRequest,
    'agentId' | 'version' | 'platform' | 'checkTypes' | 'runtimeIds' | 'suiteEngines' | 'sealTo'
  >
  capacity(): Capacity
  offer(): Offer
  /** False: it may learn more soon, and nothing is waited for long. */
  isSettled?(): boolean
  claim(request: ClaimRequest, signal: AbortSignal): Promise<Answer<ClaimAnswer>>
  onClaimed(claimed: ClaimAnswer): void
  /** Of polls that fail; whoever sees that one may succeed ends the wait that is under way. */
  backOff: BackOff
  onFailed(refusal: Refusal): void
  /** A poll succeeded after others had failed. */
  onRecovered(): void
  /** Called at every step of the loop, with whether the last poll succeeded. */
  onPoll(connected: boolean): void
}

/** Below the minute after which proxies commonly give up on a silent server. */
export const longPollMs = 45_000
/** Between polls, so that jobs that become ready one by one travel together; they are handed out ahead of their time. */
const pauseMs = 25
const fullPauseMs = 100
/** A poll while one queue has no capacity can bring nothing for it: it must be over soon after there is capacity again. */
const fullUptimeWaitMs = 100
const fullMainWaitMs = 1000
/** While this agent still finds out what it can run. */
const unsettledWaitMs = 500
/** An empty answer that comes sooner was not a long poll. */
const tooSoonMs = 200
const tooSoonPauseMs = 1000

/** Polls for jobs, one request at a time, while there is capacity. The first poll, and the first after one that failed, does not wait: it shows that all is well. */
export const keepClaiming = async (options: ClaimOptions, signal: AbortSignal): Promise<void> => {
  const { io, backOff } = options
  let failed = false
  let patienceMs = 0
  // Until the control plane has answered: what an earlier process under our id had claimed is not ours any more.
  let isFirst = true
  while (!signal.aborted) {
    const capacity = options.capacity()
    if (capacity.maxUptime === 0 && capacity.maxMain === 0) {
      options.onPoll(!failed)
      await io.clock.sleep(fullPauseMs, signal)
      continue
    }
    const askedAt = io.clock.monotonic()
    const heldMs = Math.min(
      patienceMs,
      longestWaitMs(capacity),
      (options.isSettled?.() ?? true) ? longPollMs : unsettledWaitMs,
    )
    const request = { ...options.identity, ...options.offer(), ...capacity, waitMs: heldMs }
    const answer = await options.claim(isFirst ? { ...request, fresh: true } : request, signal)
    if (signal.aborted) return
    options.onPoll(answer.ok)
    if (!answer.ok) {
      failed = true
      options.onFailed(answer)
      // That all is well again is to be known at once.
      patienceMs = 0
      await backOff.wait(answer.retryAfterMs, signal)
      continue
    }
    backOff.reset()
    if (failed) options.onRecovered()
    failed = false
    isFirst = false
    options.onClaimed(answer.value)
    const hurried =
      heldMs > tooSoonMs && io.clock.monotonic() - askedAt < tooSoonMs && answer.value.jobs.length === 0
    patienceMs = longPollMs
    await io.clock.sleep(hurried ? tooSoonPauseMs : pauseMs, signal)
  }
}

const longestWaitMs = ({ maxUptime, maxMain }: Capacity): number =>
  maxUptime === 0 ? fullUptimeWaitMs : maxMain === 0 ? fullMainWaitMs : longPollMs
