/**
 * Finished attempts on their way to the control plane. A report goes to the spool first, then travels in a batch with what
 * else finished in the same few milliseconds. One upload is under way at a time, so that batches grow with the load.
 *
 * Invariant: a report leaves the spool only when the control plane has said what became of it (accepted, duplicate, stale
 * and refused are all final), or when it can never be accepted, which is logged.
 */
import type { ReportResponse } from '../protocol/agent-api.ts'
import type { Answer } from './answer.ts'
import { backOffMs } from './back-off.ts'
import type { Io } from './io.ts'
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
  stop(): void
}

export type OutboxOptions = {
  agentId: string
  spool: Spool
  io: Io
  send(body: string): Promise<Answer<ReportResponse>>
  /** The control plane has spoken: `outcome` of each report, or `dropped`. */
  onSettled(jobId: string, outcome: string): void
  /** The disk refused a result: our failure. */
  onDiskError(error: Error): void
}

/** `jobId` is empty for reports of an earlier agent, whose leases are not ours. */
type Item = { jobId: string; line: string }
type Entry = { items: Item[] | null; batch: Batch | null }

export const createOutbox = (options: OutboxOptions): Outbox => {
  const { io, spool, onSettled } = options
  const stopped = new AbortController()
  const queue: Entry[] = spool.leftBehind.map((batch) => ({ items: null, batch }))
  const waitingForIdle = new Set<() => void>()
  let open: Item[] = []
  let openBytes = 0
  let running = false
  let quietUntil = Number.NEGATIVE_INFINITY
  let cancelCollect: (() => void) | null = null

  const isEmpty = (): boolean => open.length === 0 && queue.length === 0

  const seal = (): void => {
    if (open.length === 0) return
    queue.push({ items: open, batch: spool.seal() })
    open = []
    openBytes = 0
    const spooled = queue.length > maxBatchesInMemory ? queue[queue.length - 1] : undefined
    if (spooled !== undefined && spooled.batch !== null) spooled.items = null
    const unspooled = queue.filter(({ batch }) => batch === null)
    if (unspooled.length > maxUnspooledBatches) drop(unspooled[0] as Entry)
  }

  const drop = (entry: Entry): void => {
    queue.splice(queue.indexOf(entry), 1)
    for (const { jobId } of entry.items ?? []) onSettled(jobId, 'dropped')
    io.log.error(
      `dropped ${entry.items?.length ?? 0} results: the disk cannot be written and memory is bounded`,
    )
  }

  const start = (): void => {
    cancelCollect?.()
    cancelCollect = null
    if (running || stopped.signal.aborted) return
    running = true
    work()
  }

  const work = async (): Promise<void> => {
    let failures = 0
    while (!isEmpty() && !stopped.signal.aborted) {
      if (queue.length === 0) seal()
      const entry = queue[0] as Entry
      const refusal = await upload(entry)
      if (refusal === null) {
        failures = 0
        queue.splice(queue.indexOf(entry), 1)
        if (entry.batch !== null) spool.remove(entry.batch)
      } else {
        failures += 1
        // What has to wait is to outlive a loss of power, too. What is taken at once is never worth the disk's time.
        const synced = spool.sync().catch(onDiskError)
        await io.clock.sleep(Math.max(refusal.retryAfterMs, backOffMs(failures, io.random())), stopped.signal)
        await synced
      }
    }
    running = false
    if (isEmpty()) for (const wake of waitingForIdle) wake()
  }

  /** Null when every report of the entry is settled; what is not stays in the entry. */
  const upload = async (entry: Entry): Promise<(Answer<ReportResponse> & { ok: false }) | null> => {
    entry.items ??= entry.batch === null ? [] : spool.read(entry.batch).map((line) => ({ jobId: '', line }))
    let size = maxRequestReports
    while (entry.items.length > 0) {
      const part = firstOf(entry.items, size)
      const answer = await options.send(bodyOf(options.agentId, part))
      if (answer.ok) {
        settle(part, answer.value)
      } else if (answer.reason !== 'refused') {
        return answer
      } else if (part.length > 1) {
        // One of them spoils the request: find it by halves.
        size = Math.ceil(part.length / 2)
        continue
      } else {
        io.log.error(`the control plane can never accept a result, which is dropped: ${answer.message}`)
        for (const { jobId } of part) onSettled(jobId, 'refused')
      }
      entry.items = entry.items.slice(part.length)
    }
    return null
  }

  const settle = (items: Item[], { outcomes }: ReportResponse): void => {
    for (const [index, { jobId }] of items.entries()) onSettled(jobId, outcomes[index]?.outcome ?? 'accepted')
  }

  const collect = (): void => {
    if (running) return
    if (open.length >= collectReports || queue.length > 0) start()
    else cancelCollect ??= io.clock.at(collectMs, start)
  }

  /** Said once a minute: a full disk fails for every result. */
  const onDiskError = (error: unknown): void => {
    const now = io.clock.monotonic()
    if (now < quietUntil) return
    quietUntil = now + 60_000
    options.onDiskError(error instanceof Error ? error : new Error(String(error)))
  }

  const add = (jobId: string, line: string): void => {
    try {
      spool.append(line)
    } catch (error) {
      onDiskError(error)
    }
    open.push({ jobId, line })
    openBytes += line.length
    if (open.length >= maxRequestReports || openBytes >= maxRequestBytes) seal()
    collect()
  }

  const flush = (signal: AbortSignal): Promise<boolean> => {
    start()
    if (isEmpty()) return Promise.resolve(true)
    return new Promise((resolve) => {
      const settled = (): void => {
        waitingForIdle.delete(settled)
        signal.removeEventListener('abort', settled)
        resolve(isEmpty())
      }
      waitingForIdle.add(settled)
      if (signal.aborted) settled()
      else signal.addEventListener('abort', settled)
    })
  }

  return {
    add,
    flush,
    stop: () => {
      cancelCollect?.()
      stopped.abort()
    },
  }
}

const bodyOf = (agentId: string, items: Item[]): string =>
  `{"agentId":${JSON.stringify(agentId)},"reports":[${items.map(({ line }) => line).join(',')}]}`

/** As many as fit into a request, at least one. */
const firstOf = (items: Item[], limit: number): Item[] => {
  let bytes = 0
  let count = 0
  while (count < items.length && count < limit) {
    bytes += items[count]?.line.length ?? 0
    if (count > 0 && bytes > maxRequestBytes) break
    count += 1
  }
  return items.slice(0, count)
}
