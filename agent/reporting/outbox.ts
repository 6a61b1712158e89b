/**
 * Finished attempts on their way to the control plane. A report goes to the spool first, then travels in a batch with what
 * else finished in the same few milliseconds. One upload is under way at a time, so that batches grow with the load.
 *
 * Invariant: a report leaves the spool only when the control plane has said what became of it (accepted, duplicate, stale
 * and refused are all final; `later` is not), or when it can never be accepted, which is logged.
 */
import type { ReportResponse } from '../../protocol/agent-api.ts'
import { type BackOff, createBackOff } from '../base/back-off.ts'
import { untilIdle } from '../base/until-idle.ts'
import type { Io } from '../net/io.ts'
import type { Answer, Refusal } from './answer.ts'
import type { Batch, Spool } from './spool.ts'

const maxRequestReports = 1000
const maxRequestBytes = 900_000
const collectMs = 20
const collectReports = 200
/** Sealed batches whose lines stay in memory; the others are read from the spool when their turn comes. */
const maxBatchesInMemory = 16
/** Batches that could not be written to the disk and live in memory only. */
const maxUnspooledBatches = 64

export type Outbox = {
  /** Takes one report as JSON. Its lease is needed until `onSettled` names the job. */
  add(jobId: string, line: string): void
  /** Resolves with true when nothing is left to send, with false when the signal aborts before. */
  flush(signal: AbortSignal): Promise<boolean>
  /** Resolves when nothing is left to send, or the signal aborts; whatever waits for company goes on waiting. */
  untilEmpty(signal: AbortSignal): Promise<void>
  /** The control plane answers again: what waits for its next try has it soon. */
  wake(): void
  stop(): void
}

export type OutboxOptions = {
  agentId: string
  spool: Spool
  io: Io
  send(body: string): Promise<Answer<ReportResponse>>
  /** The control plane has spoken: `outcome` of each report, or `dropped`. */
  onSettled(item: OutboxItem, outcome: string): void
  /** The disk refused a result: our failure. */
  onDiskError(error: Error): void
}

/** A report as JSON. `jobId` is empty for those of an earlier agent, whose leases are not ours. */
export type OutboxItem = { jobId: string; line: string }

/** What is uploaded together. `items` is null while it is in the spool only, `batch` where the disk did not take it. */
type Entry = { items: OutboxItem[] | null; batch: Batch | null; isOurs: boolean }

type OutboxState = OutboxOptions & {
  stopped: AbortController
  /** Sealed, the oldest first. */
  queue: Entry[]
  /** Reports that are still being collected. */
  open: OutboxItem[]
  openBytes: number
  uploading: boolean
  backOff: BackOff
  /** Called when nothing is left to send. */
  idle: Set<() => void>
  cancelCollect: (() => void) | null
  /** Until when errors of the disk are not told, on the monotonic clock. */
  quietUntil: number
}

/** Begins with what an earlier agent left in the spool, at the first `add` or `flush`. */
export const createOutbox = (options: OutboxOptions): Outbox => {
  const state: OutboxState = {
    ...options,
    stopped: new AbortController(),
    queue: options.spool.leftBehind.map((batch) => ({ items: null, batch, isOurs: false })),
    open: [],
    openBytes: 0,
    uploading: false,
    backOff: createBackOff(options.io),
    idle: new Set(),
    cancelCollect: null,
    quietUntil: Number.NEGATIVE_INFINITY,
  }
  return {
    add: (jobId, line) => add(state, { jobId, line }),
    flush: (signal) => flush(state, signal),
    untilEmpty: (signal) => (isEmpty(state) ? Promise.resolve() : untilIdle(state.idle, signal)),
    wake: state.backOff.wake,
    stop: () => {
      state.cancelCollect?.()
      state.stopped.abort()
    },
  }
}

const isEmpty = ({ open, queue }: OutboxState): boolean => open.length === 0 && queue.length === 0

const add = (state: OutboxState, item: OutboxItem): void => {
  try {
    state.spool.append(item.line)
  } catch (error) {
    tellDiskError(state, error)
  }
  state.open.push(item)
  state.openBytes += item.line.length
  if (state.open.length >= maxRequestReports || state.openBytes >= maxRequestBytes) seal(state)
  collect(state)
}

/** Waits a little for what else finishes now, unless there is enough to send. */
const collect = (state: OutboxState): void => {
  if (state.uploading) return
  if (state.open.length >= collectReports || state.queue.length > 0) startUploads(state)
  else state.cancelCollect ??= state.io.clock.at(collectMs, () => startUploads(state))
}

const seal = (state: OutboxState): void => {
  const { queue, open, spool } = state
  if (open.length === 0) return
  const entry: Entry = { items: open, batch: spool.seal(), isOurs: true }
  queue.push(entry)
  state.open = []
  state.openBytes = 0
  if (queue.length > maxBatchesInMemory && entry.batch !== null) entry.items = null
  const unspooled = queue.filter(({ batch }) => batch === null)
  if (unspooled.length > maxUnspooledBatches) drop(state, unspooled[0] as Entry)
}

const drop = ({ queue, io, onSettled }: OutboxState, entry: Entry): void => {
  queue.splice(queue.indexOf(entry), 1)
  for (const item of entry.items ?? []) onSettled(item, 'dropped')
  io.log.error(
    `dropped ${entry.items?.length ?? 0} results: the disk cannot be written and memory is bounded`,
  )
}

const startUploads = (state: OutboxState): void => {
  state.cancelCollect?.()
  state.cancelCollect = null
  if (state.uploading || state.stopped.signal.aborted) return
  state.uploading = true
  uploadAll(state)
}

const uploadAll = async (state: OutboxState): Promise<void> => {
  const { queue, spool, backOff } = state
  while (!isEmpty(state) && !state.stopped.signal.aborted) {
    if (queue.length === 0) seal(state)
    const entry = queue[0] as Entry
    const refusal = await upload(state, entry)
    if (refusal === null) {
      backOff.reset()
      queue.splice(queue.indexOf(entry), 1)
      if (entry.batch !== null) spool.remove(entry.batch)
    } else {
      // One that the control plane trips over is sent again after the others.
      if (refusal.reason === 'later') queue.push(...queue.splice(queue.indexOf(entry), 1))
      await waitAfter(state, refusal)
    }
  }
  state.uploading = false
  if (isEmpty(state)) for (const wake of state.idle) wake()
}

/** Why an entry is not done with: the control plane took nothing now, or not all of it. */
type Delay = Pick<Refusal, 'retryAfterMs'> & { reason: Refusal['reason'] | 'later' }

const waitAfter = async (state: OutboxState, { retryAfterMs }: Delay): Promise<void> => {
  const { spool, backOff, stopped } = state
  // What has to wait is to outlive a loss of power, too. What is taken at once is never worth the disk's time.
  const synced = spool.sync().catch((error: unknown) => tellDiskError(state, error))
  await backOff.wait(retryAfterMs, stopped.signal)
  await synced
}

/** Null when every report of the entry is settled; what is not stays in the entry. */
const upload = async (state: OutboxState, entry: Entry): Promise<Delay | null> => {
  const { agentId, spool, io, onSettled } = state
  entry.items ??= entry.batch === null ? [] : itemsOf(spool.read(entry.batch), entry)
  let size = maxRequestReports
  const kept: OutboxItem[] = []
  while (entry.items.length > 0) {
    const part = firstOf(entry.items, size)
    const answer = await state.send(bodyOf(agentId, part))
    if (answer.ok) {
      kept.push(...settle(part, answer.value, onSettled))
    } else if (answer.reason !== 'refused') {
      entry.items.push(...kept)
      return answer
    } else if (part.length > 1) {
      // One of them spoils the request: find it by halves.
      size = Math.ceil(part.length / 2)
      continue
    } else {
      io.log.error(`the control plane can never accept a result, which is dropped: ${answer.message}`)
      for (const item of part) onSettled(item, 'refused')
    }
    entry.items = entry.items.slice(part.length)
  }
  if (kept.length === 0) return null
  entry.items = kept
  return { reason: 'later', retryAfterMs: 0 }
}

/** The leases of our own are needed until their reports are settled, wherever those have waited. */
const itemsOf = (lines: readonly string[], { isOurs }: Entry): OutboxItem[] =>
  lines.map((line) => ({ jobId: isOurs ? (JSON.parse(line) as { jobId: string }).jobId : '', line }))

/** Returns what has to be sent again. */
const settle = (
  items: readonly OutboxItem[],
  { outcomes }: ReportResponse,
  onSettled: OutboxOptions['onSettled'],
): OutboxItem[] =>
  items.filter((item, index) => {
    const outcome = outcomes[index]?.outcome ?? 'accepted'
    if (outcome === 'later') return true
    onSettled(item, outcome)
    return false
  })

/** Said once a minute: a full disk fails for every result. */
const tellDiskError = (state: OutboxState, error: unknown): void => {
  const now = state.io.clock.monotonic()
  if (now < state.quietUntil) return
  state.quietUntil = now + 60_000
  state.onDiskError(error instanceof Error ? error : new Error(String(error)))
}

const flush = (state: OutboxState, signal: AbortSignal): Promise<boolean> => {
  startUploads(state)
  if (isEmpty(state)) return Promise.resolve(true)
  return untilIdle(state.idle, signal).then(() => isEmpty(state))
}

const bodyOf = (agentId: string, items: OutboxItem[]): string =>
  `{"agentId":${JSON.stringify(agentId)},"reports":[${items.map(({ line }) => line).join(',')}]}`

/** As many as fit into a request, at least one. */
const firstOf = (items: OutboxItem[], limit: number): OutboxItem[] => {
  let bytes = 0
  let count = 0
  while (count < items.length && count < limit) {
    bytes += items[count]?.line.length ?? 0
    if (count > 0 && bytes > maxRequestBytes) break
    count += 1
  }
  return items.slice(0, count)
}
