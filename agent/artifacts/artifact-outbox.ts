/**
 * Artifacts on their way to the control plane, beside the results and never before theirs: a result does not wait for its
 * files, and a file is sent once its result has been accepted. One at a time, in parts that a break costs little of.
 *
 * Invariant: an artifact leaves the spool when the control plane has all of it on disk, or will never take it.
 */
import { type ArtifactNote, maxArtifacts } from '../../protocol/artifact.ts'
import type { LogLine } from '../../protocol/result.ts'
import { createSemaphore, withPermit } from '../../protocol/semaphore.ts'
import { type BackOff, createBackOff } from '../base/back-off.ts'
import { untilIdle } from '../base/until-idle.ts'
import type { Io } from '../net/io.ts'
import type { ControlPlane } from '../reporting/control-plane.ts'
import type { ArtifactSpool, SpooledArtifact } from './artifact-spool.ts'
import type { CleanArtifact } from './clean-artifact.ts'
import { plainNames } from './plain-name.ts'
import { defaultPartBytes, type UploadEnd, uploadArtifact } from './upload-artifact.ts'

/** What a report says of the artifacts of its run, and lines for its log about those that are not kept. */
export type ArtifactSummary = { notes: ArtifactNote[]; lines: LogLine[] }

export type ArtifactOutbox = {
  /** Puts the artifacts of a run into the spool. Never rejects: what cannot be kept is said. */
  take(jobId: string, artifacts: readonly CleanArtifact[]): Promise<ArtifactSummary>
  /** Whether a file of the job is kept. */
  has(jobId: string, name: string): boolean
  /** The control plane has spoken about the job's report. */
  settled(jobId: string, outcome: string): void
  /** Starts sending what an earlier agent left, whose reports have been sent; those of the jobs in `waiting` have not. */
  start(waiting: ReadonlySet<string>): void
  /** Resolves with true when nothing is left to send, with false when the signal aborts before. */
  flush(signal: AbortSignal): Promise<boolean>
  /** The control plane answers again: what waits for its next try has it soon. */
  wake(): void
  stop(): void
}

type ArtifactOutboxOptions = {
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

type ArtifactOutboxState = ArtifactOutboxOptions & {
  partBytes: number
  stopped: AbortController
  /** In the order of sending. */
  queue: Map<SpooledArtifact, Entry>
  uploading: boolean
  backOff: BackOff
  /** Called when nothing is left to send. */
  idle: Set<() => void>
}

/** Sends the files of a job once `settled` has named it, and what an earlier agent left from `start` on. */
export const createArtifactOutbox = (options: ArtifactOutboxOptions): ArtifactOutbox => {
  const semaphore = createSemaphore({ total: runsAtOnce })
  const state: ArtifactOutboxState = {
    ...options,
    partBytes: options.partBytes ?? defaultPartBytes,
    stopped: new AbortController(),
    queue: new Map(),
    uploading: false,
    backOff: createBackOff(options.io),
    idle: new Set(),
  }
  return {
    take: (jobId, artifacts) => withPermit(semaphore, () => take(state, jobId, artifacts)),
    has: (jobId, name) => state.spool.of(jobId).some(({ note }) => note.name === name),
    settled: (jobId, outcome) => onReportSettled(state, jobId, outcome),
    start: (waiting) => {
      for (const artifact of state.spool.leftBehind)
        if (!waiting.has(artifact.jobId)) enqueue(state, artifact, null)
      uploadAll(state)
    },
    flush: (signal) => flush(state, signal),
    wake: state.backOff.wake,
    stop: () => state.stopped.abort(),
  }
}

const take = async (
  state: ArtifactOutboxState,
  jobId: string,
  artifacts: readonly CleanArtifact[],
): Promise<ArtifactSummary> => {
  const wanted = artifacts.slice(0, maxArtifacts)
  const names = plainNames(wanted.map(({ name }) => name))
  const notes: ArtifactNote[] = []
  for (const [index, artifact] of wanted.entries())
    notes.push(await keep(state, artifact, { jobId, name: names[index] as string }))
  for (const artifact of artifacts.slice(maxArtifacts)) await artifact.discard()
  const sentences = notes.flatMap((note) => (note.refused === undefined ? [] : [refusalSentence(note)]))
  for (const _ of sentences) state.onSettled('refused')
  if (artifacts.length > maxArtifacts)
    sentences.push(
      `${artifacts.length - maxArtifacts} more files are not kept: a run may leave ${maxArtifacts}`,
    )
  return { notes, lines: linesOf(sentences, Math.floor(state.io.clock.now())) }
}

const keep = async (
  { spool, onDiskError }: ArtifactOutboxState,
  artifact: CleanArtifact,
  { jobId, name }: { jobId: string; name: string },
): Promise<ArtifactNote> => {
  try {
    return await spool.keep(jobId, name, artifact)
  } catch (error) {
    onDiskError(error instanceof Error ? error : new Error(String(error)))
    const { type, contentType } = artifact
    const refused = `the agent could not store it (${(error as NodeJS.ErrnoException).code ?? 'its disk failed'})`
    return { type, name, contentType, size: 0, sha256: null, refused }
  } finally {
    await artifact.discard()
  }
}

const enqueue = ({ queue }: ArtifactOutboxState, artifact: SpooledArtifact, offset: number | null): void => {
  queue.set(artifact, { artifact, offset, damaged: 0 })
}

const onReportSettled = (state: ArtifactOutboxState, jobId: string, outcome: string): void => {
  const { spool, queue } = state
  const own = spool.of(jobId).filter((artifact) => !queue.has(artifact))
  if (outcome === 'accepted' || outcome === 'duplicate') {
    // Of what is known already the files may be those of another agent, which made the same run.
    for (const artifact of own) enqueue(state, artifact, outcome === 'accepted' ? 0 : null)
    uploadAll(state)
  } else for (const artifact of own) spool.remove(artifact)
}

const uploadAll = async (state: ArtifactOutboxState): Promise<void> => {
  if (state.uploading) return
  state.uploading = true
  const { spool, queue, stopped } = state
  // What is put at the end meanwhile is come to as well.
  for (const entry of queue.values()) {
    if (stopped.signal.aborted) break
    spool.makeRoom(0)
    if (spool.has(entry.artifact) && !spool.isReadable(entry.artifact)) dropUnreadable(state, entry)
    // Dropped for want of room.
    else if (spool.has(entry.artifact)) await uploadOne(state, entry)
    else queue.delete(entry.artifact)
  }
  state.uploading = false
  if (queue.size === 0) for (const wake of state.idle) wake()
}

const dropUnreadable = ({ spool, queue, io, onSettled }: ArtifactOutboxState, { artifact }: Entry): void => {
  queue.delete(artifact)
  spool.remove(artifact)
  onSettled('damaged')
  io.log.error(`an artifact is dropped: its file ${artifact.path} cannot be read any more`)
}

/** With the wait that follows a failure. */
const uploadOne = async (state: ArtifactOutboxState, entry: Entry): Promise<void> => {
  const { controlPlane, partBytes, queue, backOff } = state
  const { signal } = state.stopped
  const end = await uploadArtifact(entry.artifact, entry.offset, { controlPlane, partBytes, signal })
  const isSettled = settle(state, entry, end)
  if (isSettled || (end.kind === 'later' && end.moved)) backOff.reset()
  if (isSettled || end.kind !== 'later') return
  // Another one may fare better.
  queue.delete(entry.artifact)
  queue.set(entry.artifact, entry)
  await backOff.wait(end.refusal.retryAfterMs, signal)
}

/** Whether there is nothing more to do for it. */
const settle = (state: ArtifactOutboxState, entry: Entry, end: UploadEnd): boolean => {
  entry.offset = null
  if (end.kind === 'later') {
    entry.damaged += Number(end.damaged)
    if (entry.damaged < maxDamaged) return false
  }
  state.queue.delete(entry.artifact)
  state.spool.remove(entry.artifact)
  state.onSettled(end.kind === 'later' ? 'damaged' : end.kind)
  if (end.kind !== 'uploaded')
    state.io.log.warn(
      `an artifact is dropped: ${end.kind === 'later' ? end.refusal.message : end.message} (${entry.artifact.note.size} bytes)`,
    )
  return true
}

const flush = (state: ArtifactOutboxState, signal: AbortSignal): Promise<boolean> =>
  state.queue.size === 0
    ? Promise.resolve(true)
    : untilIdle(state.idle, signal).then(() => state.queue.size === 0)

const refusalSentence = ({ name, size, refused }: ArtifactNote): string =>
  `The file ${name}${size === 0 ? '' : ` (${(size / 1024 / 1024).toFixed(1)} MB)`} is not kept: ${refused}`

const linesOf = (sentences: readonly string[], time: number): LogLine[] => {
  const shown =
    sentences.length > maxLines
      ? [...sentences.slice(0, maxLines - 1), `${sentences.length - maxLines + 1} more files are not kept`]
      : sentences
  return shown.map((msg) => ({ time, level: 'WARN', msg }))
}
