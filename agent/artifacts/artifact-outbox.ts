/**
 * Artifacts on their way to the control plane, beside the results and never before theirs: a result does not wait for its
 * files, and a file is sent once its result has been accepted. One at a time, in parts that a break costs little of.
 *
 * Invariant: an artifact leaves the spool when the control plane has all of it on disk, or will never take it.
 */
import { type ArtifactNote, maxArtifacts } from '../../protocol/artifact.ts'
import type { LogLine } from '../../protocol/result.ts'
import { backOffMs } from '../back-off.ts'
import type { ControlPlane } from '../control-plane.ts'
import type { Io } from '../io.ts'
import { createSemaphore } from '../semaphore.ts'
import type { ArtifactSpool, SpooledArtifact } from './artifact-spool.ts'
import type { CleanArtifact } from './clean-artifact.ts'
import { plainNames } from './plain-name.ts'
import { defaultPartBytes, type UploadEnd, uploadArtifact } from './upload-artifact.ts'

/** What a report says of the artifacts of its run, and lines for its log about those that are not kept. */
export type ArtifactSummary = { notes: ArtifactNote[]; lines: LogLine[] }

export type ArtifactOutbox = {
  /** Puts the artifacts of a run into the spool. Never rejects: what cannot be kept is said. */
  take(jobId: string, artifacts: readonly CleanArtifact[]): Promise<ArtifactSummary>
  /** The control plane has spoken about the job's report. */
  settled(jobId: string, outcome: string): void
  /** Starts sending what an earlier agent left, whose reports have been sent. */
  start(): void
  /** Resolves with true when nothing is left to send, with false when the signal aborts before. */
  flush(signal: AbortSignal): Promise<boolean>
  stop(): void
}

export type ArtifactOutboxOptions = {
  spool: ArtifactSpool
  io: Pick<Io, 'clock' | 'random' | 'log'>
  controlPlane: ControlPlane
  /** `uploaded`, `unwanted`, `damaged` or `refused`, of each. */
  onSettled(outcome: string): void
  /** The disk refused an artifact: our failure. */
  onDiskError(error: Error): void
  partBytes?: number
}

const maxLines = 20
/** A network that breaks fails all runs at once: those that are well shall not wait for what the others leave behind. */
const runsAtOnce = 4
/** Bytes that arrive damaged this often are not worth another try. */
const maxDamaged = 3

/** `offset`: where the control plane's copy ends; null: ask. */
type Entry = { artifact: SpooledArtifact; offset: number | null; damaged: number }

export const createArtifactOutbox = (options: ArtifactOutboxOptions): ArtifactOutbox => {
  const { spool, io, controlPlane, onSettled, partBytes = defaultPartBytes } = options
  const stopped = new AbortController()
  /** In the order of sending. */
  const queue = new Map<SpooledArtifact, Entry>()
  const waitingForIdle = new Set<() => void>()
  let running = false

  const keep = async (jobId: string, name: string, artifact: CleanArtifact): Promise<ArtifactNote> => {
    try {
      return await spool.keep(jobId, name, artifact)
    } catch (error) {
      options.onDiskError(error instanceof Error ? error : new Error(String(error)))
      const { type, contentType } = artifact
      const refused = `the agent could not store it (${(error as NodeJS.ErrnoException).code ?? 'its disk failed'})`
      return { type, name, contentType, size: 0, sha256: null, refused }
    } finally {
      await artifact.discard()
    }
  }

  const semaphore = createSemaphore(runsAtOnce)

  const takeNow = async (jobId: string, artifacts: readonly CleanArtifact[]): Promise<ArtifactSummary> => {
    const wanted = artifacts.slice(0, maxArtifacts)
    const names = plainNames(wanted.map(({ name }) => name))
    const notes: ArtifactNote[] = []
    for (const [index, artifact] of wanted.entries())
      notes.push(await keep(jobId, names[index] as string, artifact))
    for (const artifact of artifacts.slice(maxArtifacts)) await artifact.discard()
    const sayings = notes.flatMap((note) => (note.refused === undefined ? [] : [sayingOf(note)]))
    for (const _ of sayings) onSettled('refused')
    if (artifacts.length > maxArtifacts)
      sayings.push(
        `${artifacts.length - maxArtifacts} more files are not kept: a run may leave ${maxArtifacts}`,
      )
    return { notes, lines: linesOf(sayings, Math.floor(io.clock.now())) }
  }

  const settled = (jobId: string, outcome: string): void => {
    const own = spool.of(jobId).filter((artifact) => !queue.has(artifact))
    if (outcome === 'accepted' || outcome === 'duplicate') {
      for (const artifact of own) queue.set(artifact, { artifact, offset: 0, damaged: 0 })
      work()
    } else for (const artifact of own) spool.remove(artifact)
  }

  const work = async (): Promise<void> => {
    if (running) return
    running = true
    let failures = 0
    // What is put at the end meanwhile is come to as well.
    for (const entry of queue.values()) {
      if (stopped.signal.aborted) break
      spool.makeRoom(0)
      // Dropped for want of room.
      if (!spool.has(entry.artifact)) {
        queue.delete(entry.artifact)
        continue
      }
      const end = await uploadArtifact(entry.artifact, entry.offset, {
        controlPlane,
        partBytes,
        signal: stopped.signal,
      })
      if (settle(entry, end)) failures = 0
      else if (end.kind === 'later') {
        failures = end.moved ? 1 : failures + 1
        // Another one may fare better.
        queue.delete(entry.artifact)
        queue.set(entry.artifact, entry)
        await io.clock.sleep(
          Math.max(end.refusal.retryAfterMs, backOffMs(failures, io.random())),
          stopped.signal,
        )
      }
    }
    running = false
    if (queue.size === 0) for (const wake of waitingForIdle) wake()
  }

  /** Whether there is nothing more to do for it. */
  const settle = (entry: Entry, end: UploadEnd): boolean => {
    entry.offset = null
    if (end.kind === 'later') {
      entry.damaged += Number(end.damaged)
      if (entry.damaged < maxDamaged) return false
    }
    queue.delete(entry.artifact)
    spool.remove(entry.artifact)
    onSettled(end.kind === 'later' ? 'damaged' : end.kind)
    if (end.kind !== 'uploaded')
      io.log.warn(
        `an artifact is dropped: ${end.kind === 'later' ? end.refusal.message : end.message} (${entry.artifact.note.size} bytes)`,
      )
    return true
  }

  const flush = (signal: AbortSignal): Promise<boolean> => {
    if (queue.size === 0) return Promise.resolve(true)
    return new Promise((resolve) => {
      const idle = (): void => {
        waitingForIdle.delete(idle)
        signal.removeEventListener('abort', idle)
        resolve(queue.size === 0)
      }
      waitingForIdle.add(idle)
      if (signal.aborted) idle()
      else signal.addEventListener('abort', idle)
    })
  }

  return {
    take: async (jobId, artifacts) => {
      await semaphore.acquire()
      return takeNow(jobId, artifacts).finally(semaphore.release)
    },
    settled,
    start: () => {
      for (const artifact of spool.leftBehind) queue.set(artifact, { artifact, offset: null, damaged: 0 })
      work()
    },
    flush,
    stop: () => stopped.abort(),
  }
}

const sayingOf = ({ name, size, refused }: ArtifactNote): string =>
  `The file ${name}${size === 0 ? '' : ` (${(size / 1024 / 1024).toFixed(1)} MB)`} is not kept: ${refused}`

const linesOf = (sayings: readonly string[], time: number): LogLine[] => {
  const shown =
    sayings.length > maxLines
      ? [...sayings.slice(0, maxLines - 1), `${sayings.length - maxLines + 1} more files are not kept`]
      : sayings
  return shown.map((msg) => ({ time, level: 'WARN', msg }))
}
