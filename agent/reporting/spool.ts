/**
 * Results on disk until the control plane has acknowledged them, so that they survive its absence and our own death.
 *
 * Words: a *line* is one report as JSON, a *batch* is a file of lines that are uploaded together. One batch is open and
 * takes lines; sealed batches wait, the oldest first, and are removed when acknowledged.
 *
 * Invariants: `append` returns after the line is in the file. There it survives `kill -9` of the agent, and after a `sync`,
 * which is for lines that have to wait, the loss of power. The folder never holds much more than `capacity()`: the oldest
 * batch goes first, and that is logged.
 */
import { closeSync, existsSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs'
import { open as openFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Io } from '../net/io.ts'
import { diskError, filesIn, isGone, makeSpoolFolder, unusableFolder } from './spool-folder.ts'

/** A sealed file of lines. */
export type Batch = { path: string; bytes: number }

export type Spool = {
  /** What an earlier agent left, the oldest first. */
  leftBehind: readonly Batch[]
  /** Throws when the disk refuses; the line is then not in the spool. */
  append(line: string): void
  /** Closes the open batch; null when nothing was appended since the last one. */
  seal(): Batch | null
  /** The intact lines of a batch; what a crash left half written is skipped and logged. */
  read(batch: Batch): string[]
  remove(batch: Batch): void
  /** Resolves when what has been appended survives the loss of power as well; rejects when the disk refuses. */
  sync(): Promise<void>
  /** Why what is appended would be lost with this process, or the last line was; null: it would not. */
  notDurable(): string | null
  stats(): { batches: number; bytes: number; dropped: number }
}

type SpoolOptions = {
  dir: string
  /** Bytes that the folder may hold now. */
  capacity(): number
  /** For want of room. */
  onDropped?(batch: Batch): void
  io: Pick<Io, 'log' | 'clock' | 'newId'>
}

const extension = '.jsonl'

type OpenBatch = Batch & { file: number }

type SpoolState = SpoolOptions & {
  /** In the names of all our files: they never clash with those of an earlier or another agent. */
  owner: string
  sequence: number
  open: OpenBatch | null
  /** When the open batch was known to be in its folder, on the monotonic clock. */
  lookedAt: number
  /** The oldest first. */
  sealed: Batch[]
  bytes: number
  dropped: number
  /** Files with lines that only the kernel has. */
  unsynced: Set<string>
  /** Why the disk refused the last line; null: it took it. */
  refusal: string | null
}

/**
 * Opens the folder and queues what an earlier agent left in it. One that cannot be used is said: `append` then throws until it
 * can.
 */
export const openSpool = (options: SpoolOptions): Spool => {
  const sealed = findBatches(options)
  const state: SpoolState = {
    ...options,
    owner: options.io.newId().slice(0, 8),
    sequence: 0,
    open: null,
    lookedAt: Number.NEGATIVE_INFINITY,
    sealed,
    bytes: sealed.reduce((sum, batch) => sum + batch.bytes, 0),
    dropped: 0,
    unsynced: new Set(),
    refusal: null,
  }
  return {
    leftBehind: [...sealed],
    append: (line) => appendOrSay(state, line),
    seal: () => (state.open === null ? null : closeBatch(state, state.open)),
    read: (batch) => read(state, batch),
    remove: (batch) => remove(state, batch),
    sync: () => sync(state),
    notDurable: () => unusableFolder(state.dir) ?? state.refusal,
    stats: () => ({
      batches: sealed.length + (state.open === null ? 0 : 1),
      bytes: state.bytes,
      dropped: state.dropped,
    }),
  }
}

const appendOrSay = (state: SpoolState, line: string): void => {
  try {
    append(state, line)
    state.refusal = null
  } catch (error) {
    state.refusal = diskError(`SPOOL_DIR: ${state.dir} took no result`, error)
    throw error
  }
}

const append = (state: SpoolState, line: string): void => {
  if (isRemoved(state)) forget(state, closeBatch(state, state.open as OpenBatch))
  state.open ??= openBatch(state)
  const batch = state.open
  state.unsynced.add(batch.path)
  try {
    batch.bytes += writeWhole(batch.file, line)
  } catch (error) {
    // The line may be torn: what follows goes to a file of its own.
    closeBatch(state, batch)
    throw error
  }
  state.bytes += Buffer.byteLength(line) + 1
  makeRoom(state)
}

/** Under load a batch is open for less than this, and a new one finds out by itself. */
const lookEveryMs = 100

/** Whoever removes the folder removes what is open with it: another one has to begin. */
const isRemoved = (state: SpoolState): boolean => {
  const now = state.io.clock.monotonic()
  if (state.open === null || now - state.lookedAt < lookEveryMs) return false
  state.lookedAt = now
  return !existsSync(state.open.path)
}

const openBatch = (state: SpoolState): OpenBatch => {
  state.sequence += 1
  // Names sort by age.
  const age = String(state.io.clock.now()).padStart(15, '0')
  const name = `${age}-${String(state.sequence).padStart(9, '0')}-${state.owner}${extension}`
  const path = join(state.dir, name)
  const file = openNew(state.dir, path)
  state.lookedAt = state.io.clock.monotonic()
  return { path, bytes: 0, file }
}

const openNew = (dir: string, path: string): number => {
  try {
    return openSync(path, 'ax', 0o600)
  } catch (error) {
    if (!isGone(error)) throw error
    makeSpoolFolder(dir)
    return openSync(path, 'ax', 0o600)
  }
}

const closeBatch = (state: SpoolState, { path, bytes, file }: OpenBatch): Batch => {
  const batch: Batch = { path, bytes }
  state.open = null
  state.sealed.push(batch)
  closeSync(file)
  return batch
}

const remove = (state: SpoolState, batch: Batch): void => {
  if (!forget(state, batch)) return
  try {
    unlinkSync(batch.path)
  } catch (error) {
    // The control plane has it: sent once more by a later agent, it is a duplicate.
    if (!isGone(error)) state.io.log.error(diskError(`${batch.path} is sent and cannot be removed`, error))
  }
}

/** False for a batch that is not ours any more. */
const forget = (state: SpoolState, batch: Batch): boolean => {
  const index = state.sealed.indexOf(batch)
  if (index === -1) return false
  state.sealed.splice(index, 1)
  state.bytes -= batch.bytes
  state.unsynced.delete(batch.path)
  return true
}

const makeRoom = (state: SpoolState): void => {
  while (state.bytes > state.capacity() && state.sealed.length > 0) {
    const [oldest] = state.sealed as [Batch]
    remove(state, oldest)
    state.dropped += 1
    state.onDropped?.(oldest)
    state.io.log.error(
      `the spool is full (SPOOL_MAX_MB): dropped the oldest ${oldest.bytes} bytes of results`,
    )
  }
}

const sync = async ({ unsynced, dir }: SpoolState): Promise<void> => {
  const paths = [...unsynced]
  if (paths.length === 0) return
  // Lines that are appended from here on put their file back into the set.
  unsynced.clear()
  for (const path of [...paths, dir]) await syncIfThere(path)
}

/** A write to a file may be short when the disk is nearly full. */
const writeWhole = (file: number, line: string): number => {
  const text = Buffer.from(`${line}\n`)
  for (let done = 0; done < text.length; ) done += writeSync(file, text, done)
  return text.length
}

const findBatches = ({ dir, io: { log } }: SpoolOptions): Batch[] => {
  const problem = unusableFolder(dir)
  if (problem === null) return filesIn(dir, extension, log)
  log.error(`${problem}: results are kept in memory only, and are lost with this process`)
  return []
}

const read = (state: SpoolState, batch: Batch): string[] => {
  try {
    return intactLines(readFileSync(batch.path, 'utf8'), state.io)
  } catch (error) {
    if (!isGone(error))
      state.io.log.error(diskError(`${batch.path} cannot be read: it is left where it is`, error))
    forget(state, batch)
    return []
  }
}

const intactLines = (text: string, { log }: Pick<Io, 'log'>): string[] => {
  const lines = text.split('\n').filter((line) => line !== '')
  const intact = lines.filter(isReport)
  if (intact.length < lines.length)
    log.warn(
      `skipped ${lines.length - intact.length} damaged results in the spool (${lines.length} were read)`,
    )
  return intact
}

const isReport = (line: string): boolean => {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && 'jobId' in value
  } catch {
    // Half written when the agent died; its caller counts and logs it.
    return false
  }
}

/** Also a folder: the name of a new file is durable once its folder is. Any descriptor of a file syncs all of it. */
const syncIfThere = async (path: string): Promise<void> => {
  try {
    const file = await openFile(path, 'r')
    await file.sync().finally(() => file.close())
  } catch (error) {
    if (!isGone(error)) throw error
  }
}
